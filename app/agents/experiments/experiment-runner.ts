import { measureRun, type MeasureParts } from '#app/agents/experiments/measure-run.ts';
import { nextRun } from '#app/agents/experiments/repeats.ts';
import { SearchSteps, type SearchParts } from '#app/agents/experiments/search-steps.ts';
import type { DatasetItem } from '#src/domain/experiments/dataset.ts';
import { cellIdOf, isOver, type CellRecord, type ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import {
  activeVariants,
  everyRunOf,
  expectedCells,
  inOrder,
  laterRunsOf,
  mayLaunch,
  runsOfItem,
  type CellRun,
} from '#src/domain/experiments/launch.ts';
import { gridOf, type Metric } from '#src/domain/experiments/scores.ts';
import { comparisonsOf, headline, isBeyondVerdict, summarize, costOf } from '#src/domain/experiments/summarize.ts';
import { experimentChanged } from '#src/domain/events/realtime.ts';
import { terminalStatuses, type RunRecord } from '#src/domain/runs/run.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { WakeQueue } from '#src/domain/ports/wake-queue.ts';
import type { DatasetStore } from '#src/stores/experiments/dataset-store.ts';
import type { DocumentStore } from '#src/stores/documents.ts';
import type { DocumentTraces } from '#src/stores/document-traces.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { ExperimentStore } from '#src/stores/experiments/experiment-store.ts';
import type { StepStore } from '#src/stores/steps.ts';

export interface ExperimentParts extends MeasureParts, SearchParts {
  readonly experiments: ExperimentStore;
  readonly datasets: DatasetStore;
  readonly executions: Pick<ExecutionStore, 'cancel' | 'createAll' | 'findRun'>;
  readonly documents: Pick<DocumentStore, 'thereAmong'>;
  readonly steps: Pick<StepStore, 'costOf' | 'listOf'>;
  readonly traces: Pick<DocumentTraces, 'redact'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly wake: Pick<WakeQueue, 'notify'>;
  readonly logger: Logger;
  /** Pauses before the runs of a cell after the first one. Default: 2 s and 15 s. */
  readonly repeatPausesMs?: readonly number[] | undefined;
}

/** Most experiments that one sweep looks at. */
const sweepMax = 1_000;
/** Fewest documents before an anytime experiment may end: the first ones set the scale of the others. */
const fewest = 5;

const canceled = { code: 'run.canceled', message: 'The experiment was decided before this run ended.' };

/**
 * Keeps experiments going: measures runs that ended, starts the next documents, and ends the experiment with its summary. Every step is
 * stored once under a derived id, so that a crash, a second process or a repetition changes nothing. Source: docs/decisions/0098.
 */
export class ExperimentRunner {
  readonly #parts: ExperimentParts;
  readonly #search: SearchSteps;
  /** The last step of each experiment at work: its steps run one after the other. */
  readonly #steps = new Map<string, Promise<void>>();
  /** Pauses before runs are repeated, by the run that failed. The sweep ends those that a crash cut off. */
  readonly #pauses = new Map<string, NodeJS.Timeout>();
  readonly #stopping = new AbortController();

  constructor(parts: ExperimentParts) {
    this.#parts = parts;
    this.#search = new SearchSteps(parts);
  }

  /** A worker calls it for a run that ended. Failures are logged: the sweep repeats the step. */
  runEnded({ organizationId, projectId, _id: runId, experiment: place }: RunRecord): void {
    if (place === undefined) return;
    this.#enqueue(place.experimentId, async () => {
      const experiment = await this.#parts.experiments.findInOrganization(organizationId, place.experimentId);
      if (experiment === null || isOver(experiment)) return;
      const run = await this.#parts.executions.findRun({ organizationId, projectIds: [projectId] }, runId);
      if (run !== null && terminalStatuses.has(run.status)) await this.#settle(experiment, run);
      await this.#advance(organizationId, place.experimentId);
    });
  }

  /** Continues experiments that a crash, a cancellation or another process left. */
  async sweep(): Promise<void> {
    for (const { _id, organizationId } of await this.#parts.experiments.listRunning(sweepMax))
      this.#enqueue(_id, () => this.#repair(organizationId, _id));
  }

  async idle(): Promise<void> {
    while (this.#steps.size > 0) await Promise.all(this.#steps.values());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const pause of this.#pauses.values()) clearTimeout(pause);
    await this.idle();
  }

  #enqueue(experimentId: string, step: () => Promise<void>): void {
    if (this.#stopping.signal.aborted) return;
    const before = this.#steps.get(experimentId) ?? Promise.resolve();
    const next = before.then(async () => {
      if (this.#stopping.signal.aborted) return;
      await step().catch((error: unknown) =>
        this.#parts.logger.warn({ err: error, experimentId }, 'step of an experiment failed: the sweep repeats it'),
      );
    });
    this.#steps.set(experimentId, next);
    void next.finally(() => {
      if (this.#steps.get(experimentId) === next) this.#steps.delete(experimentId);
    });
  }

  async #itemsOf({
    organizationId,
    datasetId,
    datasetVersion,
  }: ExperimentRecord): Promise<ReadonlyMap<string, DatasetItem>> {
    const version = await this.#parts.datasets.findVersion(organizationId, datasetId, datasetVersion);
    return new Map((version?.items ?? []).map((item) => [item.documentId, item]));
  }

  /** Measures a run that ended, or repeats it if the machinery failed. */
  async #settle(experiment: ExperimentRecord, run: RunRecord): Promise<void> {
    const { organizationId, _id } = experiment;
    const { answers = {} } = (await this.#itemsOf(experiment)).get(run.documentId)?.reference ?? {};
    const next = await nextRun(this.#parts, experiment, { run, answers, metrics: this.#metrics(experiment) });
    if (next.kind === 'last') return this.#measure(experiment, run);
    if (next.kind === 'waits') {
      clearTimeout(this.#pauses.get(run._id));
      const again = (): void => {
        this.#pauses.delete(run._id);
        this.runEnded(run);
      };
      this.#pauses.set(run._id, setTimeout(again, next.ms).unref());
      return;
    }
    await this.#forgetDeleted(experiment, [run.documentId]);
    // It may have been canceled before this run was there.
    const now = await this.#parts.experiments.findInOrganization(organizationId, _id);
    if (now === null || isOver(now)) await this.#cancel(experiment, everyRunOf(experiment, run.documentId));
    await this.#parts.wake.notify();
  }

  async #measure(experiment: ExperimentRecord, run: RunRecord): Promise<void> {
    const reference = (await this.#itemsOf(experiment)).get(run.documentId)?.reference ?? null;
    const { signal } = this.#stopping;
    const isHopeless = async (): Promise<boolean> =>
      isBeyondVerdict(experiment, await this.#cells(experiment), this.#metrics(experiment));
    const repeated = await this.#repeated(experiment, run);
    const cell = await measureRun(this.#parts, experiment, { run, reference, signal, isHopeless, ...repeated });
    await this.#parts.experiments.saveCell(cell);
    await this.#forgetDeleted(experiment, [run.documentId]);
  }

  /** Earlier runs of the same cell: their number and what they cost. */
  async #repeated(
    experiment: ExperimentRecord,
    { experiment: place, documentId }: RunRecord,
  ): Promise<Pick<CellRecord, 'repeats' | 'repeatsUsd'>> {
    const repeats = (place?.attempt ?? 1) - 1;
    if (place === undefined || repeats === 0) return {};
    const { organizationId, projectId } = experiment;
    const tenant = { organizationId, projectIds: [projectId] };
    const ids = laterRunsOf(experiment, { ...place, documentId }, 1).flatMap(({ runs }) => runs.map(({ _id }) => _id));
    const found = await Promise.all(ids.slice(0, repeats).map((id) => this.#parts.executions.findRun(tenant, id)));
    const cost = await this.#parts.steps.costOf(found.filter((run) => run !== null));
    return { repeats, ...(cost !== null && { repeatsUsd: cost }) };
  }

  /**
   * Removes what was written of documents that were deleted meanwhile. Order matters: a deletion marks the document, then looks for its
   * words. One that marks it after this look finds them.
   */
  async #forgetDeleted({ organizationId }: ExperimentRecord, documentIds: readonly string[]): Promise<void> {
    const there = await this.#parts.documents.thereAmong(organizationId, documentIds);
    for (const id of documentIds) if (!there.has(id)) await this.#parts.traces.redact(organizationId, id);
  }

  /** Starts runs that a crash left out, and measures those that ended unseen. */
  async #repair(organizationId: string, id: string): Promise<void> {
    const experiment = await this.#parts.experiments.findInOrganization(organizationId, id);
    if (experiment === null || isOver(experiment)) return;
    const known = new Set((await this.#parts.experiments.cells(organizationId, id)).map(({ _id }) => _id));
    const items = await this.#itemsOf(experiment);
    for (const documentId of experiment.documentIds.slice(0, experiment.launched)) {
      for (const wanted of runsOfItem(experiment, documentId, items.get(documentId)?.reference?.answers)) {
        const place = wanted.execution.experiment;
        if (place === undefined || known.has(cellIdOf({ ...place, documentId }))) continue;
        const newest = await this.#newestRun(experiment, wanted);
        if (newest === null) await this.#parts.executions.createAll([wanted]);
        else if (terminalStatuses.has(newest.status)) await this.#settle(experiment, newest);
      }
    }
    await this.#parts.wake.notify();
    await this.#advance(organizationId, id);
  }

  /** The run of a cell that was started last; null before the first one. */
  async #newestRun(experiment: ExperimentRecord, { execution, runs }: CellRun): Promise<RunRecord | null> {
    const { organizationId, projectId } = experiment;
    const { experiment: place, documentIds } = execution;
    const find = (run: RunRecord | undefined): Promise<RunRecord | null> =>
      this.#parts.executions.findRun({ organizationId, projectIds: [projectId] }, run?._id ?? '');
    let newest = await find(runs[0]);
    if (place === undefined) return newest;
    for (const later of laterRunsOf(experiment, { ...place, documentId: documentIds[0] ?? '' }, 2)) {
      if (newest === null || !terminalStatuses.has(newest.status)) break;
      const next = await find(later.runs[0]);
      if (next === null) break;
      newest = next;
    }
    return newest;
  }

  async #advance(organizationId: string, id: string): Promise<void> {
    const experiment = await this.#parts.experiments.findInOrganization(organizationId, id);
    if (experiment === null || isOver(experiment)) return;
    const done = await this.#parts.experiments.countCells(organizationId, id);
    const wanted = expectedCells(experiment);
    const perItem = activeVariants(experiment).length * experiment.trials;
    if (done % perItem === 0 || done === wanted) await this.#announce(experiment, done);
    if ((await this.#endEarly(experiment, done)) || (await this.#launch(experiment, done, wanted))) return;
    if (done < wanted) return;
    if (experiment.search === null) await this.#end(experiment, 'all');
    else await this.#stepSearch(experiment);
  }

  async #stepSearch(experiment: ExperimentRecord): Promise<void> {
    const cells = await this.#cells(experiment);
    const step = await this.#search.step(experiment, cells, this.#metrics(experiment));
    const { organizationId } = experiment;
    if (step.kind === 'advance')
      this.#enqueue(step.experimentId, () => this.#advance(organizationId, step.experimentId));
    if (step.kind !== 'end') return;
    const end = { status: 'succeeded', stopped: 'all', result: JSON.stringify(step.result) } as const;
    if (await this.#parts.experiments.end(experiment, end, new Date())) await this.#ended(experiment, cells);
  }

  /** Starts the next documents. False when there is none to start now. */
  async #launch(experiment: ExperimentRecord, done: number, wanted: number): Promise<boolean> {
    const more = mayLaunch(experiment, done, wanted);
    if (more === 0) return false;
    // Another process that raised the number starts these documents.
    if (!(await this.#parts.experiments.launch(experiment, more))) return true;
    const items = await this.#itemsOf(experiment);
    const next = experiment.documentIds.slice(experiment.launched, experiment.launched + more);
    const runs = next.flatMap((documentId) =>
      runsOfItem(experiment, documentId, items.get(documentId)?.reference?.answers),
    );
    await this.#parts.executions.createAll(runs);
    await this.#forgetDeleted(experiment, next);
    // It may have been canceled before these runs were there.
    const now = await this.#parts.experiments.findInOrganization(experiment.organizationId, experiment._id);
    if (now === null || isOver(now)) await this.#cancel(experiment, runs);
    await this.#parts.wake.notify();
    return true;
  }

  async #cancel(
    { organizationId, projectId }: ExperimentRecord,
    started: readonly { readonly execution: { readonly _id: string } }[],
  ): Promise<void> {
    const tenant = { organizationId, projectIds: [projectId] };
    for (const { execution } of started)
      await this.#parts.executions.cancel(tenant, execution._id, canceled, new Date());
  }

  /** Ends the experiment when its budget is spent or, where it may be looked at after every document, when it is decided. */
  async #endEarly(experiment: ExperimentRecord, done: number): Promise<boolean> {
    const { maxCostUsd, stop, search } = experiment;
    const perItem = experiment.variants.length * experiment.trials;
    const looks = stop === 'when_decided' && search === null && done >= fewest * perItem;
    if (maxCostUsd === null && !looks) return false;
    const cells = await this.#cells(experiment);
    const spent = costOf(cells) ?? 0;
    if (maxCostUsd !== null && spent >= maxCostUsd) return this.#end(experiment, 'budget', cells);
    if (!looks) return false;
    const metrics = this.#metrics(experiment).slice(0, 1);
    const best = headline(comparisonsOf(inOrder(experiment, cells), gridOf(cells), metrics), metrics[0]?.name ?? '');
    if (best === null || best.n < fewest || best.verdict === 'inconclusive' || best.verdict === 'no_verdict')
      return false;
    return this.#end(experiment, 'decided', cells);
  }

  async #end(experiment: ExperimentRecord, stopped: string, known?: readonly CellRecord[]): Promise<boolean> {
    const cells = known ?? (await this.#cells(experiment));
    const plan = experiment.stop === 'when_decided' ? inOrder(experiment, cells) : experiment;
    const result = JSON.stringify(summarize(plan, cells, this.#metrics(experiment)));
    const ended = await this.#parts.experiments.end(experiment, { status: 'succeeded', stopped, result }, new Date());
    if (ended) await this.#ended(experiment, cells);
    return true;
  }

  /** Cancels the runs that are left, tells those who wait, and continues the search that waits for this confirmation. */
  async #ended(experiment: ExperimentRecord, cells: readonly CellRecord[]): Promise<void> {
    const { _id, organizationId, parent } = experiment;
    const known = new Set(cells.map((cell) => cell._id));
    for (const documentId of experiment.documentIds.slice(0, experiment.launched)) {
      const left = everyRunOf(experiment, documentId).filter(({ runs }) =>
        runs.some((run) => run.experiment !== undefined && !known.has(cellIdOf({ ...run.experiment, documentId }))),
      );
      await this.#cancel(experiment, left);
    }
    await this.#announce({ ...experiment, status: 'succeeded' }, cells.length);
    if (parent !== null) this.#enqueue(parent, () => this.#advance(organizationId, parent));
    this.#parts.logger.info({ experimentId: _id }, 'experiment ended');
  }

  #cells({ organizationId, _id }: ExperimentRecord): Promise<readonly CellRecord[]> {
    return this.#parts.experiments.cells(organizationId, _id);
  }

  #metrics({ evaluators }: ExperimentRecord): readonly Metric[] {
    return this.#parts.evaluatorsOf(evaluators);
  }

  async #announce(experiment: ExperimentRecord, done: number): Promise<void> {
    await this.#parts.events.append([experimentChanged(experiment, done, new Date())]);
  }
}
