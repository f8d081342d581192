import type { Told } from '#test/support/dashboard/realtime-client.ts';

type Row = Record<string, any>;

const ended = new Set(['succeeded', 'failed', 'canceled', 'timed_out']);

/** The Docs and Runs tabs of a page that reads the stream and asks for nothing: rows as the lists show them, newest first. */
export class LiveTabs {
  readonly #documents = new Map<string, Row>();
  readonly #runs = new Map<string, Row>();

  constructor(told: readonly Told[] = []) {
    for (const one of told) this.take(one);
  }

  get documents(): Row[] {
    return [...this.#documents.values()].toSorted((a, b) => newestFirst(a, b, 'id'));
  }

  get runs(): Row[] {
    return [...this.#runs.values()]
      .toSorted((a, b) => newestFirst(a, b, 'runId'))
      .map((run) => ({ ...run, documentTitle: this.#documents.get(run['documentId'])?.['title'] ?? null }));
  }

  take({ data }: Told): void {
    const { type, documentId, runId } = data;
    if (type === 'document.created') this.#documents.set(documentId, cardOf(data));
    if (type === 'document.deleted') this.#documents.delete(documentId);
    const document = this.#documents.get(documentId);
    if (document !== undefined) {
      changeDocument(document, data);
      changeLatestRun(document, data);
    }
    if (type === 'run.created') this.#runs.set(runId, rowOf(data));
    const run = this.#runs.get(runId);
    if (run !== undefined && !ended.has(run['status'])) changeRun(run, data);
  }
}

function newestFirst(a: Row, b: Row, id: string): number {
  const [left, right] = [a, b].map((row) => `${row['createdAt']} ${row[id]}`) as [string, string];
  return left < right ? 1 : -1;
}

function cardOf({ at, documentId, ...data }: Row): Row {
  const made = { description: null, descriptionModelLabel: null, title: null, ocr: null };
  const searched = { distance: null, score: null, matchedBy: [], highlights: [] };
  const { type: _, organizationId: __, ...card } = data;
  return { id: documentId, createdAt: at, latestRun: null, ...card, ...made, ...searched };
}

function changeDocument(document: Row, { type, at, ...data }: Row): void {
  const { ocrResultId, modelLabel, avgConfidence, characters, warnings, title, description } = data;
  if (type === 'ocr.created')
    document['ocr'] = { ocrResultId, ocrCreatedAt: at, modelLabel, avgConfidence, characters, warnings };
  if (type === 'document.changed')
    Object.assign(document, { filename: data.filename, title: data.title, tags: data.tags });
  if (type === 'description.upserted')
    Object.assign(document, { title, description, descriptionModelLabel: modelLabel });
}

/** Follows the run that was created last. */
function changeLatestRun(document: Row, { type, at, runId, workflowId, status, runStatus, error }: Row): void {
  if (type === 'run.created') document['latestRun'] = { runId, workflowId, status, at };
  const latest: Row | null = document['latestRun'];
  if (latest === null || latest['runId'] !== runId) return;
  if (type === 'run.step.changed' && runStatus !== undefined && runStatus !== latest['status'])
    Object.assign(latest, { status: runStatus, at });
  if (type === 'run.completed') Object.assign(latest, { status, at, ...(error !== undefined && { error }) });
}

function rowOf({ runId, documentId, executionId, workflowId, version, status, at }: Row): Row {
  return { runId, documentId, status, executionId, workflowId, version, createdAt: at, finishedAt: null };
}

function changeRun(run: Row, { type, at, runStatus, waitingFor, status, version, error }: Row): void {
  if (version !== undefined) run['version'] = version;
  if (type === 'run.step.changed' && runStatus !== undefined) {
    run['status'] = runStatus;
    if (waitingFor !== undefined) run['waitingFor'] = waitingFor;
    if (runStatus !== 'waiting') delete run['waitingFor'];
  }
  if (type === 'run.completed') {
    Object.assign(run, { status, finishedAt: at, ...(error !== undefined && { error }) });
    delete run['waitingFor'];
  }
}
