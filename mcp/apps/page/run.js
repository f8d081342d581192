/* A run, or an execution on many documents: progress, durations and errors. It polls until the end. */
import { begin, element, request, table, words, write } from './bridge.js';

const colors = {
  succeeded: 'good',
  partially_succeeded: 'warn',
  failed: 'bad',
  timed_out: 'bad',
  canceled: 'soft',
  continued: 'warn',
  waiting: 'warn',
};
const ended = new Set(['succeeded', 'partially_succeeded', 'failed', 'timed_out', 'canceled']);
const pill = (status) => element('span', `pill ${colors[status] ?? 'run'}`, status.replaceAll('_', ' '));
const seconds = (ms) =>
  ms === null || ms === undefined ? '' : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** Pages that have been read so far, while a node reads. */
const pagesOf = (reading) => (reading ? element('div', 'soft', `page ${reading.pagesRead} of ${reading.pages}`) : null);

function stepRow(step, reading, { first, span }) {
  const begun = Date.parse(step.startedAt);
  const lasted = (step.finishedAt ? Date.parse(step.finishedAt) : first + span) - begun;
  const bar = element('i', '');
  bar.style.left = `${((begun - first) / span) * 100}%`;
  bar.style.width = `${(lasted / span) * 100}%`;
  return element(
    'tr',
    '',
    element('td', '', element('strong', '', step.nodeId), element('div', 'soft', step.type)),
    element(
      'td',
      '',
      pill(step.status),
      step.cachedFrom ? element('div', 'soft', 'cached result') : null,
      step.status === 'running' && step.nodeId === reading?.nodeId ? pagesOf(reading) : null,
    ),
    element('td', colors[step.status] ?? 'run', element('div', 'bar', bar)),
    element('td', '', seconds(step.ms)),
    element(
      'td',
      step.error ? 'bad' : 'soft',
      step.error ? `${step.error.code}: ${step.error.message}` : (step.outputPreview ?? ''),
    ),
  );
}

function stepsOf({ steps = [], reading }) {
  if (steps.length === 0) return null;
  const first = Math.min(...steps.map(({ startedAt }) => Date.parse(startedAt)));
  const last = Math.max(...steps.map(({ startedAt, finishedAt }) => Date.parse(finishedAt ?? startedAt)));
  const span = Math.max(1, last - first);
  return table(
    ['Node', 'Status', 'Timeline', 'Duration', 'Result'],
    steps.map((step) => stepRow(step, reading, { first, span })),
  );
}

function questionsOf({ waitingFor = [] }) {
  if (waitingFor.length === 0) return null;
  return element('ul', '', ...waitingFor.map(({ promptText }) => element('li', 'warn', `It asks: ${promptText}`)));
}

function showRun(result) {
  const shown = result.structuredContent;
  const execution = shown?.execution ?? (shown?.counts ? shown : null);
  const head = execution ?? shown?.run ?? null;
  if (result.isError || !head) return write(document.body, words(result));
  const run = shown.run ?? null;
  const { status } = run ?? head;
  const failed = run?.error ? element('p', 'bad', `${run.error.code}: ${run.error.message}`) : null;
  const rows = (execution?.runs ?? []).map((one) =>
    element(
      'tr',
      '',
      element('td', '', one.documentId),
      element('td', '', pill(one.status), pagesOf(one.reading)),
      element('td', 'bad', one.error?.message ?? ''),
    ),
  );
  write(
    document.body,
    element(
      'header',
      '',
      element('h1', '', head.workflowName ?? head.workflowId),
      element('span', 'soft', head.version === null ? 'draft' : `version ${head.version}`),
      pill(status),
      element('span', 'soft', run?.runId ?? head.id),
    ),
    failed,
    questionsOf(run ?? {}),
    run ? stepsOf(run) : table(['Document', 'Status', 'Error'], rows),
  );
  void follow(run === null ? { executionId: head.id } : { runId: run.runId }, status);
}

let host = null;
let following = null;

/** The program asks on behalf of the view, and each answer waits at the service until something changes. */
async function follow(target, status) {
  if (ended.has(status) || host?.serverTools === undefined || following !== null) return;
  following = request('tools/call', { name: 'get_run', arguments: { ...target, waitSeconds: 25 } });
  try {
    const result = await following;
    following = null;
    showRun(result);
  } catch {
    // The last state stays on the screen: the program does not pass calls on.
    following = null;
  }
}

void begin('inkgraph-run', showRun).then((capabilities) => {
  host = capabilities;
});
