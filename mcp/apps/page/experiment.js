/* An experiment: its verdict first, then the differences with their intervals, then the documents that lost most. */
import { begin, element, request, table, words, write } from './bridge.js';
import { forest, signed } from './forest.js';

const verdictColors = { better: 'good', worse: 'bad', equivalent: 'run', inconclusive: 'soft', no_verdict: 'bad' };
const shownRegressions = 5;
const pagePixels = 400_000;

let host = null;
/** The experiment on the screen, so that a late answer for another one is dropped. */
let shownId = null;

const call = (name, input) => request('tools/call', { name, arguments: input });
const canCall = () => host?.serverTools !== undefined;
const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Marks the words that the other text does not have in this order (longest common subsequence). */
function marked(one, other, className) {
  const [a, b] = [one, other].map((text) => text.split(/(\s+)/).slice(0, 300));
  const longest = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const parts = [];
  let [i, j] = [0, 0];
  while (i < a.length) {
    if (a[i] === b[j]) parts.push(a[i]);
    else if (j < b.length && longest[i][j + 1] > longest[i + 1][j]) {
      j += 1;
      continue;
    } else parts.push(a[i].trim() === '' ? a[i] : element('mark', className, a[i]));
    if (a[i] === b[j]) j += 1;
    i += 1;
  }
  return parts;
}

function outputOf(title, cell, other, className) {
  const failed = cell !== null && cell.status !== 'succeeded';
  const value = cell === null || cell.value === null ? '' : ` ${Number(cell.value.toFixed(4))}`;
  return element(
    'figure',
    '',
    element('figcaption', failed ? 'bad' : 'soft', `${title}${failed ? ` ${cell.status}` : value}`),
    element('pre', '', ...(cell === null ? ['not run'] : marked(cell.outputText, other?.outputText ?? '', className))),
    cell?.noteText ? element('div', 'warn', cell.noteText) : null,
  );
}

/** Asks for the page only when somebody looks at it. */
async function showPage(place, documentId) {
  if (!canCall()) return;
  try {
    const { content = [] } = await call('view_document_image', { documentId, maxPixels: pagePixels });
    const picture = content.find(({ type, mimeType }) => type === 'image' && /^image\/[a-z]+$/.test(mimeType));
    if (picture === undefined) return;
    const image = element('img', '');
    image.alt = 'First page of the document';
    image.src = `data:${picture.mimeType};base64,${picture.data}`;
    write(place, image);
  } catch {
    write(place, element('p', 'soft', 'The page cannot be shown.'));
  }
}

function regressionOf({ documentId, title, difference, baseline, variant }, names, open) {
  const page = element('div', 'page');
  const details = element(
    'details',
    '',
    element(
      'summary',
      '',
      element('strong', 'bad', signed(difference ?? 0)),
      ` ${title ?? documentId} `,
      element('span', 'soft', `${names.baseline} against ${names.variant}`),
    ),
    element(
      'div',
      'pair',
      page,
      outputOf(names.baseline, baseline, variant, 'had'),
      outputOf(names.variant, variant, baseline, 'lost'),
    ),
  );
  let asked = false;
  const look = () => {
    if (!details.open || asked) return;
    asked = true;
    void showPage(page, documentId);
  };
  details.addEventListener('toggle', look);
  details.open = open;
  look();
  return details;
}

async function showRegressions(place, { experimentId, split, status, best, variants, comparisons }) {
  if (status !== 'succeeded' || comparisons.length === 0) return;
  const title = element('h2', '', 'Documents that lost most');
  const say = (text) => write(place, title, element('p', 'soft', text));
  if (split === 'holdout')
    return say('Documents of the holdout are shown to nobody, so that the next confirmation proves as much.');
  if (!canCall()) return;
  const asked = { experimentId, view: 'regressions', limit: shownRegressions };
  const result = await call('get_experiment', asked).catch(() => null);
  if (shownId !== experimentId) return;
  const documents = result?.structuredContent?.documents;
  if (documents === undefined) return say('They cannot be read here.');
  if (documents.length === 0) return say('None did worse than with the baseline.');
  const names = { baseline: variants[0].name, variant: best ?? variants[1].name };
  write(place, title, ...documents.map((one, at) => regressionOf(one, names, at === 0)));
}

function variantsOf({ variants, metrics, split }) {
  const shown = split === 'holdout' ? [] : metrics;
  const headings = ['Variant', 'Version', ...shown, 'Runs', 'Failed', 'Cost'];
  const rows = variants.map(({ name, version, dropped, ...one }, at) =>
    element(
      'tr',
      '',
      element(
        'td',
        '',
        element('strong', '', name),
        at === 0 && name !== 'baseline' ? ' baseline' : '',
        dropped ? ` dropped after ${dropped}` : '',
      ),
      element('td', 'soft', version === null ? 'draft or changed' : String(version)),
      ...shown.map((metric) => element('td', '', String(one.metrics[metric]?.mean ?? '–'))),
      element('td', '', String(one.runs)),
      element('td', one.failed > 0 ? 'bad' : 'soft', String(one.failed)),
      element('td', 'soft', one.costUsd === null ? '–' : `$${one.costUsd.toFixed(4)}`),
    ),
  );
  return table(headings, rows, 'numbers');
}

function progressOf({ status, runs }) {
  if (status !== 'running') return null;
  const bar = element('progress', '');
  bar.max = Math.max(1, runs.planned);
  bar.value = runs.done;
  return bar;
}

function factsOf({ split, items, runs, kind, datasetVersion, alpha, costUsd }) {
  return [
    kind === 'search' ? 'search' : null,
    `${split} of dataset version ${datasetVersion}`,
    count(items.total, 'document'),
    `${count(runs.done, 'run')}${runs.cached > 0 ? `, ${runs.cached} with cached steps` : ''}`,
    `level ${alpha}`,
    costUsd === null ? null : `$${costUsd.toFixed(4)}`,
  ]
    .filter((fact) => fact !== null)
    .join(' · ');
}

function showPlan({ runs, items, estimatedSeconds, detectable }) {
  const time = estimatedSeconds === null ? '' : `, about ${Math.ceil(estimatedSeconds / 60)} min`;
  write(
    document.body,
    element('h1', '', 'Plan'),
    element('p', 'verdict', `${count(runs, 'run')} of ${count(items, 'document')}${time}. Nothing was started.`),
    element('p', 'soft', `So many documents show a mean difference of ${signed(detectable)} or more.`),
  );
}

function showExperiment(result) {
  const shown = result.structuredContent;
  if (!result.isError && shown?.plan) return showPlan(shown.plan);
  const experiment = shown?.experiment ?? (shown?.experimentId ? shown : null);
  if (result.isError || experiment === null) return write(document.body, words(result));
  const { name, status, verdict, sentence, comparisons } = experiment;
  shownId = experiment.experimentId;
  const regressions = element('section', '');
  const word = verdict ?? status;
  write(
    document.body,
    element(
      'header',
      '',
      element('h1', '', name),
      element('span', `pill ${verdictColors[word] ?? (status === 'running' ? 'run' : 'soft')}`, word),
    ),
    element('p', 'verdict', sentence),
    progressOf(experiment),
    element('p', 'soft', factsOf(experiment)),
    comparisons.length > 0 ? element('div', 'canvas', forest(comparisons)) : null,
    variantsOf(experiment),
    regressions,
  );
  void showRegressions(regressions, experiment);
  void follow(experiment);
}

let following = null;

/** The service answers when the experiment ends, or after the time. */
async function follow({ experimentId, status }) {
  if (status !== 'running' || !canCall() || following !== null) return;
  following = call('get_experiment', { experimentId, wait: 5 });
  try {
    const result = await following;
    following = null;
    if (shownId === experimentId) showExperiment(result);
  } catch {
    // The last state stays on the screen: the program does not pass calls on.
    following = null;
  }
}

void begin('inkgraph-experiment', showExperiment).then((capabilities) => {
  host = capabilities;
});
