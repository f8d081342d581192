import { expect, test } from 'vitest';
import { RunEnds } from '#app/agents/run-ends.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { EndedRun, EndsOutcome } from '#src/stores/runs/run-ends.ts';
import { executionRecord, realtimeEvent } from '#test/support/records.ts';

const ended = (organizationId = 'org_a'): EndedRun => {
  const [run] = newRuns(executionRecord({ organizationId, documentIds: ['doc_a'] }));
  if (run === undefined) throw new Error('no run');
  return { lease: { run, owner: 'worker' }, end: { status: 'succeeded', error: null }, now: new Date() };
};
const eventOf = ({ lease }: EndedRun): RealtimeEvent =>
  realtimeEvent(lease.run.organizationId, { dedupeId: lease.run._id });

interface Store {
  readonly finishAll: ExecutionStore['finishAll'];
  readonly finish?: ExecutionStore['finish'];
}

/** Ends of runs over this store, with the commands that it gets and the events that are announced afterwards. */
function endsOver({ finishAll, finish = async () => true }: Store) {
  const commands: string[][] = [];
  const announced: string[] = [];
  const executions = {
    finish,
    finishAll: (ends: readonly EndedRun[], ...rows: [never]) => {
      commands.push(ends.map(({ lease }) => lease.run._id));
      return finishAll(ends, ...rows);
    },
  };
  const appendBy: EventLog['appendBy'] = (_organizationId, _events, write) => write([]);
  const announce = (events: readonly RealtimeEvent[]): void =>
    void announced.push(...events.map(({ dedupeId }) => dedupeId));
  return { ends: new RunEnds({ executions, events: { appendBy }, announce }), commands, announced };
}

const all = (count: number): EndsOutcome => ({ finished: count, isLost: false, isAnnounced: true });
const idsOf = (runs: readonly EndedRun[]): string[] => runs.map(({ lease }) => lease.run._id);

test('ends of one moment share a command, one for each organization', async () => {
  const { ends, commands } = endsOver({ finishAll: async (list) => all(list.length) });
  const runs = [ended('org_a'), ended('org_b'), ended('org_a')];
  expect(await Promise.all(runs.map((run) => ends.finish(run, [eventOf(run)])))).toEqual([true, true, true]);
  const [one, two, three] = idsOf(runs);
  expect(commands).toEqual([[one, three], [two]]);
});

test('a lost lease is told to its run alone, and the ends behind it are written again', async () => {
  const runs = [ended(), ended(), ended()];
  const [first, lost, last] = idsOf(runs);
  const { ends, commands, announced } = endsOver({
    finishAll: async (list) => (list.length === 1 ? all(1) : { finished: 1, isLost: true, isAnnounced: false }),
  });
  expect(await Promise.all(runs.map((run) => ends.finish(run, [eventOf(run)])))).toEqual([true, false, true]);
  expect(commands).toEqual([[first, lost, last], [last]]);
  // The last one's was stored with it.
  expect(announced).toEqual([first]);
});

test('an end that cannot be stored is an error of its run alone', async () => {
  const runs = [ended(), ended()];
  const [first, broken] = idsOf(runs);
  const { ends, announced } = endsOver({
    finishAll: () => Promise.reject(new Error('too large')),
    async finish(lease) {
      if (lease.run._id === broken) throw new Error('too large');
      return true;
    },
  });
  const done = await Promise.allSettled(runs.map((run) => ends.finish(run, [eventOf(run)])));
  expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(announced).toEqual([first]);
});

test('runs that have ended stay ended if the log fails afterwards', async () => {
  const finishAll = async (list: readonly EndedRun[]) => all(list.length);
  const appendBy: EventLog['appendBy'] = async (_organizationId, _events, write) => {
    await write([]);
    throw new Error('a listener failed');
  };
  const finish = (): Promise<boolean> => Promise.reject(new Error('asked again'));
  const announce = (): never => {
    throw new Error('told twice');
  };
  const ends = new RunEnds({ executions: { finish, finishAll }, events: { appendBy }, announce });
  const run = ended();
  expect(await ends.finish(run, [eventOf(run)])).toBe(true);
});

test('runs without events do not wait for the log', async () => {
  const { commands, ...made } = endsOver({ finishAll: async (list) => all(list.length) });
  const run = ended();
  expect(await made.ends.finish(run, [])).toBe(true);
  expect(commands).toEqual([idsOf([run])]);
});
