// The page: cards with bars, evidence, scenarios, what changed, the most probable explanation.
// All texts of the model go through textContent; nothing is read as markup.
"use strict";

function startPage(page, engine) {
  const { variables, scale, diagram } = page;
  const count = variables.length;
  const find = (id) => document.getElementById(id);

  function make(name, className, text) {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    if (name === "button") element.type = "button";
    return element;
  }

  function icon(name) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", "0 0 10 10");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(space, "path");
    const shapes = {
      flag: "M0.5 10V0H10L8 3L10 6H2V10Z",
      lock: "M1 4.5H9V10H1ZM2.5 4.5V3A2.5 2.5 0 0 1 7.5 3V4.5H6V3A1 1 0 0 0 4 3V4.5Z",
      cross: "M1 0L5 4L9 0L10 1L6 5L10 9L9 10L5 6L1 10L0 9L4 5L0 1Z",
    };
    path.setAttribute("d", shapes[name]);
    svg.append(path);
    return svg;
  }

  // -- numbers as texts

  function percent(value) {
    if (value <= 0) return "0";
    if (value < 0.0005) return "0+";
    return value >= 1 ? "100" : (100 * value).toFixed(1);
  }

  function degree(value) {
    if (value > 0 && value < 0.005) return "0+";
    return { "0.00": "0", "1.00": "1" }[value.toFixed(2)] || value.toFixed(2).slice(1);
  }

  const numberText = {
    probability: percent,
    possibility: degree,
    relation: (value) => (value > 0 ? "possible" : "impossible"),
  }[scale];

  function probabilityText(log2) {
    if (scale === "possibility") return degree(Math.pow(2, log2));
    const log10 = log2 * Math.LOG10E / Math.LOG2E;
    if (log10 > -4) return String(Number(Math.pow(2, log2).toPrecision(3)));
    const exponent = Math.floor(log10);
    const mantissa = Math.pow(10, log10 - exponent).toFixed(2);
    const [number, power] = mantissa === "10.00" ? ["1.00", exponent + 1] : [mantissa, exponent];
    return `${number} × 10^${power}`.replace("-", "−");
  }

  // Degrees are shown as they are, not scaled to a largest of 1.
  function shown(answer) {
    if (scale !== "possibility") return answer.beliefs;
    const top = Math.pow(2, answer.log2Evidence);
    return answer.beliefs.map((belief) => belief.map((value) => value * top));
  }

  function necessities(values) {
    const sorted = values.slice().sort((a, b) => b - a);
    const gap = sorted[0] - (sorted.length > 1 ? sorted[1] : 0);
    return values.map((value) => (gap >= 1e-12 && value === sorted[0] ? gap : 0));
  }

  // -- findings: {variable, kind, state} or {variable, kind, weights}

  function weightsOf(finding) {
    if (finding.weights) return finding.weights;
    return variables[finding.variable].states.map((_, s) => (s === finding.state ? 1 : 0));
  }

  function findingText(finding) {
    const states = variables[finding.variable].states;
    const weights = weightsOf(finding);
    if (finding.kind === "observed") return `= ${states[finding.state]}`;
    if (finding.kind === "done") return `do ${states[finding.state]}`;
    const named = states.filter((_, s) => (finding.kind === "excluded") === (weights[s] === 0));
    if (finding.kind === "excluded") return `≠ ${named.join(", ")}`;
    return `likelihood ${states.map((state, s) =>
      `${state} ${Number(weights[s].toPrecision(3))}`).join(", ")}`;
  }

  const colourOf = { observed: "seen", excluded: "seen", likelihood: "soft", done: "done" };

  function ask(what, evidence) {
    const weights = new Array(count).fill(null);
    const done = new Map();
    for (const [v, finding] of evidence) {
      weights[v] = weightsOf(finding);
      if (finding.kind === "done") done.set(v, finding.state);
    }
    return engine[what](weights, done);
  }

  const key = (evidence) => JSON.stringify([...evidence].sort((a, b) => a[0] - b[0])
    .map(([v, finding]) => [v, finding.kind, weightsOf(finding)]));

  const asEvidence = (findings) => new Map(findings.map((finding) => [finding.variable, finding]));

  // -- what the page remembers

  const prior = ask("update", new Map());
  const priorShown = shown(prior);
  let evidence = new Map();
  let answer = prior;
  let before = prior; // of the evidence before the last change
  let mode = "observe";
  let reference = "prior";
  let explaining = false;
  let chosen = null; // the name of the scenario in use

  function stored(name, value) {
    // Browsers may forbid storage to a page from a file; then it is remembered until it is closed.
    const full = `pgmstudio ${page.id} ${name}`;
    try {
      if (value === undefined) return JSON.parse(localStorage.getItem(full));
      localStorage.setItem(full, JSON.stringify(value));
    } catch (error) { /* nothing to do */ }
    return null;
  }

  let saved = (stored("scenarios") || []).filter((scenario) =>
    scenario.findings.every((finding) => finding.variable < count &&
      weightsOf(finding).length === variables[finding.variable].states.length));

  // -- the theme

  const themes = ["auto", "light", "dark"];
  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    find("theme").textContent = { auto: "Theme: system", light: "Theme: light",
      dark: "Theme: dark" }[theme];
    stored("theme", theme);
  }
  let theme = stored("theme");
  setTheme(themes.includes(theme) ? theme : "auto");
  find("theme").addEventListener("click", () => {
    const at = themes.indexOf(document.documentElement.dataset.theme);
    setTheme(themes[(at + 1) % themes.length]);
  });

  // -- cards

  const board = find("board");
  const cards = [];

  function makeRow(v, state, s) {
    const isHidden = v === count;
    const row = make(isHidden ? "div" : "button", "state");
    row.append(make("span", "name", state));
    const bar = make("span", "bar");
    const fill = make("i", "fill");
    const inner = make("i", "inner");
    const ghost = make("i", "ghost");
    bar.append(fill, inner, ghost);
    const number = make("span", "number");
    row.append(bar, number);
    if (!isHidden) {
      row.addEventListener("click", (event) => {
        const what = event.shiftKey && mode === "observe" ? "exclude" : mode;
        act(v, s, what);
      });
      row.tabIndex = s === 0 ? 0 : -1;
    }
    return { row, fill, inner, ghost, number };
  }

  function makeCard(v, title, states, note) {
    const card = make("div", v === count ? "card hidden-variable" : "card");
    card.setAttribute("role", "group");
    card.setAttribute("aria-label", title);
    if (note) card.title = note;
    const head = make("div", "head");
    const name = make("span", "title", title);
    name.title = note ? `${title}\n${note}` : title;
    const chip = make("span", "chip");
    head.append(name, chip);
    const list = make("div", states.length > 6 ? "states many" : "states");
    const longest = Math.max(...states.map((state) => state.length));
    list.style.setProperty("--label", `${Math.min(longest, 11) + 0.5}ch`);
    const rows = states.map((state, s) => makeRow(v, state, s));
    list.append(...rows.map(({ row }) => row));
    card.append(head, list);
    // Arrow keys move between the states of a card, so that a card is one stop of the Tab key.
    list.addEventListener("keydown", (event) => {
      const at = rows.findIndex(({ row }) => row === document.activeElement);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
      if (at < 0 || to === undefined || v === count) return;
      event.preventDefault();
      const next = rows[Math.max(0, Math.min(rows.length - 1, to))].row;
      rows.forEach(({ row }) => { row.tabIndex = -1; });
      next.tabIndex = 0;
      next.focus();
    });
    return { card, chip, rows, states, title };
  }

  function markPriors(card, values) {
    card.rows.forEach((row, s) => { row.ghost.style.width = `${100 * values[s]}%`; });
  }

  variables.forEach((variable, v) => {
    cards[v] = makeCard(v, variable.title, variable.states, variable.note);
    markPriors(cards[v], priorShown[v]);
  });
  if (page.component) {
    cards[count] = makeCard(count, page.component.title, page.component.states, "");
    markPriors(cards[count], prior.components);
  }

  const placed = new Map(); // cards with a position
  if (diagram) {
    for (const node of diagram.nodes) {
      if (node.variable !== null) placed.set(node.variable, node);
      else {
        const box = make("div", "label-box", node.label);
        position(box, node);
        board.append(box);
      }
    }
  }

  function position(element, node) {
    element.style.left = `${node.x - node.width / 2 - diagram.left}px`;
    element.style.top = `${node.y - node.height / 2 - diagram.top}px`;
    element.style.width = `${node.width}px`;
    element.style.height = `${node.height}px`;
  }

  cards.forEach((one, v) => {
    const node = placed.get(v);
    if (node) position(one.card, node);
    // The component of a mixture has no node in some diagrams.
    (node || !diagram ? board : find("unplaced")).append(one.card);
  });

  function show(card, values, priorValues, finding, isExplained) {
    const inside = scale === "possibility" ? necessities(values) : null;
    const isKnown = finding && (finding.kind === "observed" || finding.kind === "done");
    const weights = finding ? weightsOf(finding) : null;
    card.card.classList.remove("seen", "soft", "done");
    if (finding) card.card.classList.add(colourOf[finding.kind]);
    card.chip.replaceChildren();
    if (finding) {
      card.chip.append(findingText(finding).replace(/^likelihood .*/, "likelihood"));
      card.chip.append(icon(finding.kind === "done" ? "lock" : "flag"));
    }
    card.rows.forEach((row, s) => {
      const value = values[s];
      // Scaled, not resized: then the browser need not lay out the page again. Rounded, so that
      // bars that do not move are not drawn again either.
      row.fill.style.transform = `scaleX(${value.toFixed(4)})`;
      if (inside) row.inner.style.transform = `scaleX(${inside[s].toFixed(4)})`;
      const text = numberText(value) + (inside && inside[s] > 0 ? ` N ${degree(inside[s])}` : "");
      if (row.text !== text) row.number.textContent = row.text = text;
      row.row.classList.toggle("out", weights !== null && weights[s] === 0);
      row.row.classList.toggle("impossible", !(value > 0));
      row.row.classList.toggle("best", isExplained === s);
      row.row.dataset.belief = value;
      if (row.row.tagName !== "BUTTON") return;
      const pressed = isKnown ? finding.state === s : weights !== null && weights[s] === 0;
      row.row.setAttribute("aria-pressed", String(pressed));
      const unit = scale === "probability" ? " percent" : "";
      const label =
        `${card.title} = ${card.states[s]}, ${text}${unit}` +
        (evidence.size ? `, before ${numberText(priorValues[s])}` : "") +
        (weights !== null && weights[s] === 0 ? ", ruled out" : "") +
        (isExplained === s ? ", in the most probable explanation" : "");
      if (row.label !== label) row.row.setAttribute("aria-label", row.label = label);
    });
  }

  // -- what a click does

  function act(v, s, what) {
    const next = new Map(evidence);
    const present = evidence.get(v);
    next.delete(v);
    if (what === "exclude") {
      const excluded = present && present.kind === "excluded" ? weightsOf(present)
        : variables[v].states.map(() => 1);
      const weights = excluded.map((weight, at) => (at === s ? 1 - weight : weight));
      const left = weights.flatMap((weight, at) => (weight > 0 ? [at] : []));
      if (left.length === 1) next.set(v, { variable: v, kind: "observed", state: left[0] });
      else if (left.length && left.length < weights.length) {
        next.set(v, { variable: v, kind: "excluded", weights });
      }
    } else {
      const kind = what === "intervene" ? "done" : "observed";
      const isSet = present && present.state === s &&
        (present.kind === kind || kind === "observed");
      if (!isSet) next.set(v, { variable: v, kind, state: s });
    }
    become(next, `${variables[v].title} = ${variables[v].states[s]}`);
  }

  // The new evidence; if it is impossible, nothing changes and the page says why.
  function become(next, what) {
    const result = ask("update", next);
    if (result === null) {
      say(conflictText(next, what), true);
      return;
    }
    before = answer;
    evidence = next;
    answer = result;
    draw();
    const moved = changes(prior)[0];
    say(`${evidenceLabel()} ${evidenceNumber()}.` +
      (evidence.size && moved ? ` ${variables[moved.v].title} changed most.` : ""), false);
  }

  function conflictText(next, what) {
    // Findings that can be left out while the rest stays impossible do not belong to the conflict.
    const core = new Map(next);
    for (const v of [...next.keys()]) {
      const fewer = new Map(core);
      fewer.delete(v);
      if (ask("update", fewer) === null) core.delete(v);
    }
    const named = [...core.values()].map((finding) =>
      `${variables[finding.variable].title} ${findingText(finding)}`);
    if (named.length === 1) return `${named[0]} is impossible in this model.`;
    const last = named.pop();
    const conflict = `${named.join(", ")} and ${last} exclude each other.`;
    return what ? `${what} was not set: ${conflict}` : conflict;
  }

  // What changed is only read out: it is in sight already.
  function say(text, isProblem, isNotice = false) {
    const message = find("message");
    message.textContent = text;
    message.classList.toggle("problem", isProblem);
    message.classList.toggle("only-heard", !isProblem && !isNotice);
  }

  function evidenceLabel() {
    return { probability: "P(evidence)", possibility: "Π(evidence)",
      relation: "The evidence is" }[scale];
  }

  function evidenceNumber() {
    return scale === "relation" ? "possible" : probabilityText(answer.log2Evidence);
  }

  // -- what changed: bits of Kullback–Leibler divergence, or the largest change of a degree

  function changes(than) {
    const now = shown(answer);
    const then = shown(than);
    const result = [];
    for (let v = 0; v < count; v++) {
      if (evidence.has(v)) continue;
      let size = 0;
      let state = 0;
      let most = -Infinity;
      now[v].forEach((value, s) => {
        // Of probabilities the largest rise is shown, of degrees, which rarely rise, the change.
        const rise = value - then[v][s];
        const difference = scale === "probability" ? rise : Math.abs(rise);
        if (difference > most) { most = difference; state = s; }
        if (scale === "relation") size += difference; // how many states
        else if (scale === "possibility") size = Math.max(size, difference);
        else if (value > 0 && then[v][s] > 0) size += value * Math.log2(value / then[v][s]);
      });
      if (size >= 0.005) {
        result.push({ v, size, state, from: then[v][state], to: now[v][state] });
      }
    }
    return result.sort((a, b) => b.size - a.size);
  }

  function drawChanges() {
    const list = find("changes");
    list.replaceChildren();
    const moved = changes(reference === "prior" ? prior : before).slice(0, 8);
    const most = moved.length ? Math.max(moved[0].size, 1e-9) : 1;
    for (const { v, size, state, from, to } of moved) {
      const row = make("button", "change");
      row.append(make("span", "name", variables[v].title));
      const bar = make("span", "bar");
      const fill = make("i", "fill");
      fill.style.transform = `scaleX(${size / most})`;
      bar.append(fill);
      row.append(bar, make("span", "number", size.toFixed(scale === "relation" ? 0 : 2)));
      row.append(make("span", "story",
        `${variables[v].states[state]}: ${numberText(from)} → ${numberText(to)}` +
        (scale === "probability" ? " %" : "")));
      row.addEventListener("click", () => reveal(v));
      list.append(row);
    }
    find("no-changes").hidden = moved.length > 0;
    find("no-changes").textContent = evidence.size || reference === "last"
      ? "No other belief changed." : "Set evidence to see which beliefs move.";
    const unit = { probability: "bits ", possibility: "change ", relation: "states " }[scale];
    find("changes-unit").textContent = unit +
      (reference === "prior" ? "from prior" : "from last step");
  }

  function reveal(v) {
    const { card, rows } = cards[v];
    card.scrollIntoView({ block: "center", inline: "center" });
    rows[0].row.focus({ preventScroll: true });
  }

  for (const name of ["prior", "last"]) {
    find(`from-${name}`).addEventListener("click", () => {
      reference = name;
      press(["from-prior", "from-last"], `from-${name}`);
      drawChanges();
    });
  }

  function press(ids, id) {
    for (const one of ids) find(one).setAttribute("aria-pressed", String(one === id));
  }

  // -- evidence and scenarios

  function drawEvidence() {
    const list = find("findings");
    list.replaceChildren();
    for (const [v, finding] of evidence) {
      const chip = make("button", `finding ${colourOf[finding.kind]}`);
      const text = `${variables[v].title} ${findingText(finding)}`;
      chip.append(icon(finding.kind === "done" ? "lock" : "flag"), make("span", "", text),
        icon("cross"));
      chip.setAttribute("aria-label", `Remove ${text}`);
      chip.addEventListener("click", () => {
        const next = new Map(evidence);
        next.delete(v);
        become(next, "");
        const left = list.querySelector("button");
        (left || find("clear")).focus();
      });
      list.append(chip);
    }
    find("no-findings").hidden = evidence.size > 0;
    find("clear").disabled = evidence.size === 0;
    find("evidence-label").textContent = evidenceLabel();
    find("evidence-value").textContent = evidenceNumber();
    find("evidence-value").dataset.log2 = answer.log2Evidence;
    const hasDone = [...evidence.values()].some(({ kind }) => kind === "done");
    find("intervention-note").hidden = !(hasDone && page.interventionNote);
  }

  find("clear").addEventListener("click", () => become(new Map(), ""));

  function drawScenarios() {
    const list = find("scenarios");
    const own = key(evidence);
    list.replaceChildren();
    const all = [
      ...page.scenarios.map((scenario) => ({ ...scenario, isSaved: false })),
      ...saved.map((scenario) => ({ ...scenario, isSaved: true })),
      { name: "No findings", findings: [], isSaved: false },
    ];
    const fitting = all.filter((scenario) => key(asEvidence(scenario.findings)) === own);
    // Of scenarios with the same findings the one that was chosen is the one in use.
    const current = fitting.find(({ name }) => name === chosen) || fitting[0];
    for (const scenario of all) {
      const item = make("li");
      const button = make("button", "scenario", scenario.name);
      button.setAttribute("aria-pressed", String(scenario === current));
      button.addEventListener("click", () => {
        chosen = scenario.name;
        const at = [...list.children].indexOf(item);
        become(asEvidence(scenario.findings), scenario.name);
        list.children[at].querySelector("button").focus();
      });
      item.append(button);
      if (scenario.isSaved) {
        const remove = make("button", "remove");
        remove.append(icon("cross"));
        remove.setAttribute("aria-label", `Delete ${scenario.name}`);
        remove.addEventListener("click", () => {
          saved = saved.filter(({ name }) => name !== scenario.name);
          stored("scenarios", saved);
          drawScenarios();
          find("scenario-name").focus();
        });
        item.append(remove);
      }
      list.append(item);
    }
    find("save").disabled = evidence.size === 0;
  }

  find("save-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!evidence.size) return;
    const field = find("scenario-name");
    const given = field.value.trim() || [...evidence.values()].map((finding) =>
      `${variables[finding.variable].title} ${findingText(finding)}`).join(", ");
    saved = saved.filter(({ name }) => name !== given);
    saved.push({ name: given, findings: [...evidence.values()] });
    stored("scenarios", saved);
    field.value = "";
    chosen = given;
    drawScenarios();
    say(`${given} was saved in this browser.`, false, true);
  });

  // -- the most probable explanation, and the components of a mixture

  let explanation = null;

  function drawExplanation() {
    explanation = explaining ? ask("explain", evidence) : null;
    find("explain").setAttribute("aria-expanded", String(explaining));
    find("explain").textContent = explaining ? "Hide" : "Show";
    const body = find("explanation");
    body.hidden = !explaining;
    if (explanation === null) return;
    const isExact = explanation.log2Bound <= explanation.log2 + 1e-9;
    const given = explanation.log2 - answer.log2Evidence;
    find("explanation-label").textContent = {
      probability: "P(these states | evidence)", possibility: "Π(these states)",
      relation: "These states are" }[scale];
    find("explanation-value").textContent = scale === "relation" ? "possible"
      : probabilityText(scale === "possibility" ? explanation.log2 : given);
    find("explanation-value").dataset.log2 = explanation.log2;
    find("explanation-bound").hidden = isExact;
    find("explanation-bound").textContent = "The best states found; none have more than " +
      `${probabilityText(explanation.log2Bound - answer.log2Evidence)}.`;
    const list = find("explanation-states");
    list.replaceChildren();
    explanation.states.forEach((state, v) => {
      if (evidence.has(v) && evidence.get(v).kind === "observed") return;
      list.append(make("dt", "", variables[v].title), make("dd", "", variables[v].states[state]));
    });
  }

  find("explain").addEventListener("click", () => {
    explaining = !explaining;
    draw();
  });

  // -- everything

  function draw() {
    drawExplanation();
    document.body.classList.toggle("has-evidence", evidence.size > 0);
    const now = shown(answer);
    for (let v = 0; v < count; v++) {
      show(cards[v], now[v], priorShown[v], evidence.get(v),
        explanation === null ? -1 : explanation.states[v]);
    }
    if (page.component) show(cards[count], answer.components, prior.components, undefined, -1);
    for (const edge of document.querySelectorAll("#edges [data-target]")) {
      const finding = evidence.get(Number(edge.dataset.target));
      edge.classList.toggle("cut", finding !== undefined && finding.kind === "done");
    }
    drawEvidence();
    drawChanges();
    drawScenarios();
  }

  // -- modes, views and zoom

  const modes = ["observe", "exclude", ...(page.interventions ? ["intervene"] : [])];
  const hints = {
    observe: "Click a bar to set evidence. Click it again to remove it.",
    exclude: "Click a bar to rule out its state. Click it again to allow it.",
    intervene: "Click a bar to intervene: do(X = x).",
  };
  for (const name of modes) {
    const button = find(`mode-${name}`);
    button.hidden = false;
    button.addEventListener("click", () => {
      mode = name;
      press(modes.map((one) => `mode-${one}`), `mode-${name}`);
      find("hint").textContent = hints[name];
    });
  }

  const frame = find("frame");
  let view = "cards";
  let zoom = null; // null: as large as fits

  function setView(name) {
    view = name;
    document.body.dataset.view = name;
    press(["view-graph", "view-cards"], `view-${name}`);
    fit();
  }

  function fit() {
    if (!diagram) return;
    if (view !== "graph") {
      board.style.transform = frame.style.height = "";
      board.style.width = board.style.height = "";
      return;
    }
    const wide = frame.clientWidth / diagram.width;
    const most = Math.max(420, window.innerHeight - 150);
    const scaled = zoom === null ? Math.max(0.3, Math.min(1.15, wide,
      Math.max(most / diagram.height, 0.75 * wide))) : zoom;
    board.style.width = `${diagram.width}px`;
    board.style.height = `${diagram.height}px`;
    const shift = Math.max(0, (frame.clientWidth - scaled * diagram.width) / 2);
    board.style.transform = `translate(${shift}px, 0) scale(${scaled})`;
    // Space for what is drawn, not for what it was before scaling.
    frame.style.height = `${Math.min(scaled * diagram.height + 4, 1.1 * most)}px`;
    find("spacer").style.width = `${scaled * diagram.width}px`;
    find("spacer").style.height = `${scaled * diagram.height}px`;
    board.dataset.scale = scaled;
  }

  if (diagram) {
    find("views").hidden = find("zooms").hidden = false;
    find("view-graph").addEventListener("click", () => setView("graph"));
    find("view-cards").addEventListener("click", () => setView("cards"));
    const step = (factor) => () => {
      zoom = Math.max(0.15, Math.min(3, Number(board.dataset.scale) * factor));
      fit();
    };
    find("zoom-in").addEventListener("click", step(1.25));
    find("zoom-out").addEventListener("click", step(0.8));
    find("zoom-fit").addEventListener("click", () => { zoom = null; fit(); });
    window.addEventListener("resize", fit);
  }

  const model = find("model");
  find("download").hidden = model === null;
  find("download").addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([JSON.parse(model.textContent)],
      { type: "application/json" }));
    const link = make("a");
    link.href = url;
    link.download = page.fileName;
    link.click();
    URL.revokeObjectURL(url);
  });

  // Hundreds of bars that move at once would take longer than they help.
  const stateCount = variables.reduce((total, { states }) => total + states.length, 0);
  document.body.classList.toggle("is-small", stateCount <= 60);
  draw();
  const isNarrow = window.matchMedia("(max-width: 760px)").matches;
  setView(diagram && !isNarrow ? "graph" : "cards");
  if (page.evidence.length) become(asEvidence(page.evidence), "The evidence of the author");
}
