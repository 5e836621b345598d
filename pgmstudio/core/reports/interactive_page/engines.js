// Exact inference, one engine for each kind of program that the exporter writes.
//
// An engine has two functions. `weights` holds, for every variable of the model, null or one
// number per state: what a finding says about it, the largest being 1. `done` maps variables that
// were set by an intervention to their state.
//
//   update(weights, done)   {log2Evidence, beliefs, components}, or null if the evidence is
//                           impossible
//   explain(weights, done)  {states, log2, log2Bound}: the most probable states of all variables
//                           together; only the best known ones where log2 < log2Bound
"use strict";

function createEngine(program) {
  const engines = {
    "junction-tree": junctionTreeEngine,
    "decision-graph": decisionGraphEngine,
    "mixture": mixtureEngine,
    "join-tree": joinTreeEngine,
  };
  return engines[program.engine](program);
}

const TINY = 1e-150;

function indexOfLargest(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

function largest(values) {
  let result = -Infinity;
  for (let i = 0; i < values.length; i++) if (values[i] > result) result = values[i];
  return result;
}

// Divide by the sum; the sum.
function normalise(values) {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  if (total > 0) for (let i = 0; i < values.length; i++) values[i] /= total;
  return total;
}

// Divide by the largest value; its log2, and -Infinity where all are 0.
function scaleToLargest(values) {
  const top = largest(values);
  if (!(top > 0)) return -Infinity;
  if (top !== 1) for (let i = 0; i < values.length; i++) values[i] /= top;
  return Math.log2(top);
}

// log2 of a sum of numbers that are given by their log2.
function log2Sum(logs) {
  const top = largest(logs);
  if (top === -Infinity) return top;
  let total = 0;
  for (let i = 0; i < logs.length; i++) total += Math.pow(2, logs[i] - top);
  return top + Math.log2(total);
}

function startsOf(counts) {
  const starts = [0];
  for (const count of counts) starts.push(starts[starts.length - 1] + count);
  return starts;
}

// For every cell of a table over `scope` (the last variable fastest) the cell of a table over some
// of its variables, in the order of `part`.
function cellMap(scope, part, cards) {
  const stride = new Map();
  for (let i = part.length - 1, step = 1; i >= 0; i--) {
    stride.set(part[i], step);
    step *= cards[part[i]];
  }
  const size = scope.reduce((product, v) => product * cards[v], 1);
  const map = new Int32Array(size);
  let block = 1; // cells that are filled in for the variables so far, the fastest first
  for (let i = scope.length - 1; i >= 0; i--) {
    const step = stride.get(scope[i]) || 0;
    for (let state = 1; state < cards[scope[i]]; state++) {
      const at = state * block;
      for (let cell = 0; cell < block; cell++) map[at + cell] = map[cell] + state * step;
    }
    block *= cards[scope[i]];
  }
  return map;
}

// ---------------------------------------------------------------------------------------------
// Messages in a junction tree (Lauritzen and Spiegelhalter 1988; Jensen, Lauritzen and Olesen
// 1990). The model is the product of its factors. Where it has a directed graph, factor i is
// P(variable i | parents), and an intervention replaces it.

function junctionTreeEngine(program) {
  const { cards, factors, cliques, parents } = program;
  const sizes = cliques.map((scope) => scope.reduce((product, v) => product * cards[v], 1));
  const inside = cliques.map((scope) => new Set(scope));
  const smallestWith = (scope) => {
    let best = -1;
    for (let c = 0; c < cliques.length; c++) {
      if (scope.every((v) => inside[c].has(v)) && (best < 0 || sizes[c] < sizes[best])) best = c;
    }
    return best;
  };
  const homes = cards.map((_, v) => smallestWith([v]));
  const ofHome = cliques.map((_, c) => homes.flatMap((home, v) => (home === c ? [v] : [])));
  const stateMaps = cards.map((_, v) => cellMap(cliques[homes[v]], [v], cards));
  const factorsOf = cliques.map(() => []);
  factors.forEach((factor, number) => factorsOf[smallestWith(factor.scope)].push(number));
  const separators = cliques.map((scope, c) =>
    parents[c] === null ? [] : scope.filter((v) => inside[parents[c]].has(v)));
  const counts = separators.map((scope) => scope.reduce((product, v) => product * cards[v], 1));
  const own = cliques.map((scope, c) => cellMap(scope, separators[c], cards));
  const above = cliques.map((_, c) =>
    parents[c] === null ? null : cellMap(cliques[parents[c]], separators[c], cards));

  function potentialOf(c, done) {
    const table = new Float64Array(sizes[c]).fill(1);
    for (const number of factorsOf[c]) {
      const { scope, values } = factors[number];
      if (done.has(number)) {
        const map = cellMap(cliques[c], [number], cards);
        for (let i = 0; i < table.length; i++) if (map[i] !== done.get(number)) table[i] = 0;
      } else {
        const map = cellMap(cliques[c], scope, cards);
        for (let i = 0; i < table.length; i++) table[i] *= values[map[i]];
      }
    }
    return table;
  }

  const observed = cliques.map((_, c) => potentialOf(c, new Map()));
  const tables = sizes.map((size) => new Float64Array(size));

  // Potentials with the findings.
  function prepare(weights, done) {
    tables.forEach((table, c) => {
      const isCut = program.directed && factorsOf[c].some((number) => done.has(number));
      table.set(isCut ? potentialOf(c, done) : observed[c]);
      for (const v of ofHome[c]) {
        if (weights[v] === null) continue;
        const map = stateMaps[v];
        for (let i = 0; i < table.length; i++) table[i] *= weights[v][map[i]];
      }
    });
  }

  // Messages towards the roots, by sums or by maxima; the log2 of what was scaled away with the
  // totals of the roots, or null if all is impossible.
  function collect(take) {
    let log2 = 0;
    const messages = [];
    for (let c = cliques.length - 1; c >= 0; c--) {
      const table = tables[c];
      const message = new Float64Array(counts[c]);
      take(table, own[c], message);
      const scale = scaleToLargest(message);
      if (scale === -Infinity) return null;
      log2 += scale;
      messages[c] = message;
      if (parents[c] === null) continue;
      const upper = tables[parents[c]];
      const map = above[c];
      let top = 0;
      for (let i = 0; i < upper.length; i++) {
        upper[i] *= message[map[i]];
        if (upper[i] > top) top = upper[i];
      }
      if (!(top > 0)) return null;
      if (top < TINY) log2 += scaleToLargest(upper);
    }
    return { log2, messages };
  }

  function addUp(table, map, message) {
    for (let i = 0; i < table.length; i++) message[map[i]] += table[i];
  }

  function takeLargest(table, map, message) {
    for (let i = 0; i < table.length; i++) {
      if (table[i] > message[map[i]]) message[map[i]] = table[i];
    }
  }

  function update(weights, done) {
    prepare(weights, done);
    const collected = collect(addUp);
    if (collected === null) return null;
    for (let c = 0; c < cliques.length; c++) {
      if (parents[c] === null) continue;
      const message = new Float64Array(counts[c]);
      addUp(tables[parents[c]], above[c], message);
      const sent = collected.messages[c];
      for (let i = 0; i < message.length; i++) {
        message[i] = sent[i] > 0 ? message[i] / sent[i] : 0;
      }
      scaleToLargest(message);
      const table = tables[c];
      const map = own[c];
      for (let i = 0; i < table.length; i++) table[i] *= message[map[i]];
      if (largest(table) < TINY) scaleToLargest(table);
    }
    const beliefs = cards.map((card, v) => {
      const belief = new Array(card).fill(0);
      addUp(tables[homes[v]], stateMaps[v], belief);
      normalise(belief);
      return belief;
    });
    return { log2Evidence: collected.log2 - program.log2Partition, beliefs, components: null };
  }

  function explain(weights, done) {
    prepare(weights, done);
    const collected = collect(takeLargest);
    const states = new Array(cards.length).fill(0);
    const known = new Set();
    for (let c = 0; c < cliques.length; c++) {
      // The separator is known from the parent; cells that agree with it may be chosen.
      let separatorCell = 0;
      for (const v of separators[c]) separatorCell = separatorCell * cards[v] + states[v];
      const table = tables[c];
      let best = -1;
      for (let i = 0; i < table.length; i++) {
        if (own[c][i] === separatorCell && (best < 0 || table[i] > table[best])) best = i;
      }
      let rest = best;
      for (let i = cliques[c].length - 1; i >= 0; i--) {
        const v = cliques[c][i];
        if (!known.has(v)) states[v] = rest % cards[v];
        known.add(v);
        rest = Math.floor(rest / cards[v]);
      }
    }
    const log2 = collected.log2 - program.log2Partition;
    return { states, log2, log2Bound: log2 };
  }

  return { update, explain };
}

// ---------------------------------------------------------------------------------------------
// Flows in a probabilistic decision graph (Jaeger 2004; Nielsen 2007, §3.3.2). The out-flow of a
// node, as its log2: log2 Σ_h w_h p_h Π_below outflow(successor(node, h)).

function decisionGraphEngine(program) {
  const { cards, order, above, successors } = program;
  const logs = program.parameters.map((rows) => rows.map((row) => row.map(Math.log2)));
  const below = cards.map(() => []);
  above.forEach((upper, v) => { if (upper !== null) below[upper].push(v); });

  // log2 of the outflow of every node of every variable, and of its parts by state.
  function flows(weights, join) {
    const out = cards.map(() => []);
    const parts = cards.map(() => []);
    for (let step = order.length - 1; step >= 0; step--) {
      const v = order[step];
      logs[v].forEach((row, node) => {
        const terms = row.map((log, h) => {
          let term = weights[v] === null ? log : log + Math.log2(weights[v][h]);
          for (const child of below[v]) term += out[child][successors[child][node][h]];
          return term;
        });
        parts[v][node] = terms;
        out[v][node] = join(terms);
      });
    }
    let log2 = 0;
    cards.forEach((_, v) => { if (above[v] === null) log2 += out[v][0]; });
    return { out, parts, log2 };
  }

  function update(weights) {
    const { out, parts, log2 } = flows(weights, log2Sum);
    if (log2 === -Infinity) return null;
    const visits = logs.map((rows, v) => rows.map(() => (above[v] === null ? 1 : 0)));
    const beliefs = cards.map((card) => new Array(card).fill(0));
    for (const v of order) {
      visits[v].forEach((visit, node) => {
        if (!(visit > 0)) return;
        for (let h = 0; h < cards[v]; h++) {
          const passing = visit * Math.pow(2, parts[v][node][h] - out[v][node]);
          if (!(passing > 0)) continue;
          beliefs[v][h] += passing;
          for (const child of below[v]) visits[child][successors[child][node][h]] += passing;
        }
      });
      normalise(beliefs[v]);
    }
    return { log2Evidence: log2, beliefs, components: null };
  }

  function explain(weights) {
    const { parts, log2 } = flows(weights, largest);
    const states = new Array(cards.length).fill(0);
    const reached = new Array(cards.length).fill(0);
    for (const v of order) {
      if (above[v] !== null) reached[v] = successors[v][reached[above[v]]][states[above[v]]];
      states[v] = indexOfLargest(parts[v][reached[v]]);
    }
    return { states, log2, log2Bound: log2 };
  }

  return { update, explain };
}

// ---------------------------------------------------------------------------------------------
// Mixtures of trees (Meilă 1999, §3.1): every tree answers, and counts as much as it is responsible
// for the evidence, P(k | e) ∝ weight_k · T^k(e). A latent class model is a mixture of trees
// without edges. `choice` is the variable whose states are the components, or null.

function mixtureEngine(program) {
  const { cards, weights: shares, choice, trees } = program;
  const inner = cards.map((_, v) => v).filter((v) => v !== choice);
  const children = trees.map((tree) => {
    const result = cards.map(() => []);
    for (const v of inner) if (tree.parents[v] !== null) result[tree.parents[v]].push(v);
    return result;
  });

  // Messages towards the roots of a tree; `join` adds or takes the largest. The message of v is a
  // number for every state of its parent, one number at a root.
  function collect(k, weights, join) {
    const tree = trees[k];
    const local = [];
    const messages = [];
    let log2 = 0;
    for (let step = tree.order.length - 1; step >= 0; step--) {
      const v = tree.order[step];
      const values = weights[v] === null ? new Array(cards[v]).fill(1) : weights[v].slice();
      for (const child of children[k][v]) {
        for (let h = 0; h < cards[v]; h++) values[h] *= messages[child][h];
      }
      log2 += scaleToLargest(values);
      const message = tree.tables[v].map((row) => join(row.map((p, h) => p * values[h])));
      log2 += scaleToLargest(message);
      if (log2 === -Infinity) return null;
      local[v] = values;
      messages[v] = message;
    }
    return { log2, local, messages };
  }

  const sum = (values) => values.reduce((total, value) => total + value, 0);

  function beliefsOf(k, collected) {
    const { parents, tables, order } = trees[k];
    const beliefs = [];
    for (const v of order) {
      const belief = new Array(cards[v]).fill(0);
      tables[v].forEach((row, upper) => {
        // P(v | upper, e) = row · local / Σ, weighed by the belief in the parent's state.
        const joint = row.map((p, h) => p * collected.local[v][h]);
        const total = sum(joint);
        const share = parents[v] === null ? 1 : beliefs[parents[v]][upper];
        if (total > 0 && share > 0) {
          joint.forEach((value, h) => { belief[h] += (share * value) / total; });
        }
      });
      normalise(belief);
      beliefs[v] = belief;
    }
    return beliefs;
  }

  const shareOf = (k, weights) =>
    Math.log2(shares[k]) +
    (choice === null || weights[choice] === null ? 0 : Math.log2(weights[choice][k]));

  function update(weights) {
    const collected = trees.map((_, k) => collect(k, weights, sum));
    const logs = collected.map((one, k) =>
      one === null ? -Infinity : one.log2 + shareOf(k, weights));
    const log2Evidence = log2Sum(logs);
    if (log2Evidence === -Infinity) return null;
    const components = logs.map((log) => Math.pow(2, log - log2Evidence));
    normalise(components);
    const beliefs = cards.map((card) => new Array(card).fill(0));
    components.forEach((part, k) => {
      if (!(part > 0)) return;
      const own = beliefsOf(k, collected[k]);
      for (const v of inner) own[v].forEach((value, h) => { beliefs[v][h] += part * value; });
    });
    for (const v of inner) normalise(beliefs[v]);
    if (choice !== null) beliefs[choice] = components.slice();
    return { log2Evidence, beliefs, components };
  }

  // The most probable states within one tree.
  function bestOf(k, collected) {
    const states = new Array(cards.length).fill(0);
    const { parents, tables, order } = trees[k];
    for (const v of order) {
      const row = tables[v][parents[v] === null ? 0 : states[parents[v]]];
      states[v] = indexOfLargest(row.map((p, h) => p * collected.local[v][h]));
    }
    if (choice !== null) states[choice] = k;
    return states;
  }

  function log2Of(states, weights) {
    return log2Sum(trees.map((tree, k) => {
      let log2 = shareOf(k, weights);
      for (const v of inner) {
        const upper = tree.parents[v] === null ? 0 : states[tree.parents[v]];
        log2 += Math.log2(tree.tables[v][upper][states[v]]);
        if (weights[v] !== null) log2 += Math.log2(weights[v][states[v]]);
      }
      return log2;
    }));
  }

  // A sum over trees cannot be maximised by messages. Branch and bound: with some variables fixed
  // no states are more probable than Σ_k weight_k max_x T^k(x), and the best states of each tree
  // are candidates. The part with the largest bound is split first.
  const MAX_PARTS = 4000;

  function explain(weights) {
    let best = null;
    let bestLog2 = -Infinity;
    function look(given, depth) {
      const collected = trees.map((_, k) => collect(k, given, largest));
      const logs = collected.map((one, k) =>
        one === null ? -Infinity : one.log2 + shareOf(k, given));
      if (choice !== null) { // the component is one of the variables, so the largest term counts
        const k = indexOfLargest(logs);
        best = bestOf(k, collected[k]);
        bestLog2 = logs[k];
        return { bound: bestLog2 };
      }
      let candidate = null;
      collected.forEach((one, k) => {
        if (one === null || logs[k] === -Infinity) return;
        const states = bestOf(k, one);
        const log2 = log2Of(states, given);
        if (candidate === null || log2 > candidate.log2) candidate = { states, log2 };
      });
      if (candidate !== null && candidate.log2 > bestLog2) {
        bestLog2 = candidate.log2;
        best = candidate.states;
      }
      return { given, depth, bound: log2Sum(logs) };
    }
    const SAME = 1e-11;
    let parts = [look(weights, 0)];
    let looked = 1;
    while (parts.length > 0 && looked < MAX_PARTS) {
      const at = indexOfLargest(parts.map((part) => part.bound));
      const part = parts[at];
      if (part.bound <= bestLog2 + SAME) { parts = []; break; }
      parts[at] = parts[parts.length - 1];
      parts.pop();
      if (part.depth === inner.length) continue;
      const v = inner[part.depth];
      for (let state = 0; state < cards[v]; state++) {
        const weight = part.given[v] === null ? 1 : part.given[v][state];
        if (!(weight > 0)) continue;
        const only = new Array(cards[v]).fill(0);
        only[state] = weight;
        const given = part.given.slice();
        given[v] = only;
        const smaller = look(given, part.depth + 1);
        looked++;
        if (smaller.bound > bestLog2 + SAME) parts.push(smaller);
      }
    }
    const left = parts.filter((part) => part.bound > bestLog2 + SAME);
    return {
      states: best,
      log2: bestLog2,
      log2Bound: left.reduce((bound, part) => Math.max(bound, part.bound), bestLog2),
    };
  }

  return { update, explain };
}

// ---------------------------------------------------------------------------------------------
// Joins of tables of tuples in a junction tree, for degrees of possibility and relations: the degree
// of a tuple is the smallest degree of its parts, or their product (Borgelt, Steinbrecher and Kruse
// 2009, ch. 4 and 5). A clique lists its possible tuples, `columns` has the states of each of its
// variables. Beliefs are scaled to a largest degree of 1.

function joinTreeEngine(program) {
  const { cards, cliques, norm } = program;
  const combine = norm === "product" ? (a, b) => a * b : Math.min;
  const homes = cards.map((_, v) => cliques.findIndex((clique) => clique.scope.includes(v)));
  const columnOf = (c, v) => cliques[c].columns[cliques[c].scope.indexOf(v)];

  // Parts of a graph that are not connected hang together by an empty separator.
  const links = cliques.map((clique, c) => {
    if (c === 0) return null;
    const parent = clique.parent === null ? 0 : clique.parent;
    const separator = clique.scope.filter((v) => cliques[parent].scope.includes(v));
    const numbers = new Map();
    const number = (of) => {
      const columns = separator.map((v) => columnOf(of, v));
      return cliques[of].degrees.map((_, i) => {
        const key = columns.map((column) => column[i]).join();
        if (!numbers.has(key)) numbers.set(key, numbers.size);
        return numbers.get(key);
      });
    };
    const own = number(c);
    const above = number(parent);
    return { parent, own, above, count: numbers.size };
  });

  function maxima(values, ids, count) {
    const result = new Array(count).fill(0);
    values.forEach((value, i) => { if (value > result[ids[i]]) result[ids[i]] = value; });
    return result;
  }

  function propagate(weights) {
    const values = cliques.map((clique) => clique.degrees.slice());
    weights.forEach((given, v) => {
      if (given === null) return;
      const weight = program.crisp ? given.map((one) => (one > 0 ? 1 : 0)) : given;
      const column = columnOf(homes[v], v);
      values[homes[v]] = values[homes[v]].map((one, i) => combine(one, weight[column[i]]));
    });
    const upward = [];
    for (let c = cliques.length - 1; c > 0; c--) {
      const { parent, own, above, count } = links[c];
      upward[c] = maxima(values[c], own, count);
      values[parent] = values[parent].map((one, i) => combine(one, upward[c][above[i]]));
    }
    for (let c = 1; c < cliques.length; c++) {
      const { parent, own, above, count } = links[c];
      let message = maxima(values[parent], above, count);
      if (norm === "product") { // without what the clique itself has sent
        message = message.map((one, i) => (upward[c][i] > 0 ? one / upward[c][i] : 0));
      }
      values[c] = values[c].map((one, i) => combine(one, message[own[i]]));
    }
    return values;
  }

  function update(weights) {
    const values = propagate(weights);
    const top = Math.max(0, largest(values[0]));
    if (!(top > 0)) return null;
    const beliefs = cards.map((card, v) =>
      maxima(values[homes[v]], columnOf(homes[v], v), card).map((one) => one / top));
    return { log2Evidence: Math.log2(top), beliefs, components: null };
  }

  function explain(weights) {
    const values = propagate(weights);
    const states = new Array(cards.length).fill(0);
    const chosen = [];
    cliques.forEach((clique, c) => {
      let best = -1;
      values[c].forEach((value, i) => {
        const fits = c === 0 || links[c].own[i] === links[c].above[chosen[links[c].parent]];
        if (fits && (best < 0 || value > values[c][best])) best = i;
      });
      chosen[c] = best;
      clique.scope.forEach((v, at) => { states[v] = clique.columns[at][best]; });
    });
    const log2 = Math.log2(largest(values[0]));
    return { states, log2, log2Bound: log2 };
  }

  return { update, explain };
}
