"""KES, the k-greedy equivalence search (Nielsen 2007, §4.3; Nielsen, Kočka and Peña 2003).

The search moves from one equivalence class of graphs to the next. Its neighbours are the classes
with one edge more or less in any of their members (the inclusion boundary); one step takes the best
of a random share k of the neighbours that score higher. k = 1 is greedy equivalence search (GES,
Chickering 2002) and always the same; smaller k differ from run to run and meet other optima. For
data that have the independencies of some graph, every k finds it as rows become many (Theorem 4.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.cpdag import Pdag
from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.edge_rules import EdgeRules
from pgmstudio.core.learning.fitting import Fitted, fit_tables
from pgmstudio.core.learning.hill_climb import ON_MISSING_SCORES
from pgmstudio.core.learning.kes_boundary import Boundary, ExactBoundary
from pgmstudio.core.learning.kes_climb import PHASES, ClassClimb
from pgmstudio.core.learning.kes_gains import GainRows
from pgmstudio.core.learning.kes_optima import KesOptima, KesRun
from pgmstudio.core.learning.kes_rules import ClassRules
from pgmstudio.core.learning.kes_sampling import SampledBoundary
from pgmstudio.core.learning.missing_cells import missing_sentence, refuse_empty
from pgmstudio.core.learning.protocols import Finished, Found, LearnEvent
from pgmstudio.core.learning.smoothing import SMOOTHING_HELP
from pgmstudio.core.params import param
from pgmstudio.core.running import NEVER, CancelToken, Note, Progress
from pgmstudio.core.scores.family_scores import MAX_TABLE_CELLS, FamilyScores
from pgmstudio.core.scores.local_scores import score_of
