import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import { realtimeEvent } from '#test/support/records.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';

export interface EventLogUnderTest {
  readonly log: EventLog;
  /** The same log, kept to about twenty events. */
  readonly short: EventLog;
  /** Another process on the same log, whose events `log` receives. */
  readonly elsewhere: EventLog;
  close(): Promise<void>;
}

const seqs = (events: readonly LoggedEvent[]): number[] => events.map((event) => event.seq);
const rising = (numbers: readonly number[]): boolean =>
  numbers.every((one, at) => at === 0 || one > (numbers[at - 1] ?? 0));

/** The promise of `EventLog`, for every adapter. `make` is called once for the suite. */
export function eventLogConformance(name: string, make: () => Promise<EventLogUnderTest>): void {
  describe(`${name} as an EventLog`, () => {
    let subject: EventLogUnderTest;
    const log = (): EventLog => subject.log;
    beforeAll(async () => {
      subject = await make();
    });
    afterAll(() => subject.close());

    durable(log);
    heard(log);

    test('what another process appended is read, with numbers of its own', async () => {
      const organizationId = newId('organization');
      await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          (at % 2 === 0 ? log() : subject.elsewhere).append([realtimeEvent(organizationId)]),
        ),
      );
      const read = await log().read(organizationId, 0, 100);
      expect(read).toHaveLength(10);
      expect(new Set(seqs(read)).size).toBe(10);
      expect(rising(seqs(read))).toBe(true);
    });

    test('it is kept to about so many events, and its position tells what is forgotten', async () => {
      const organizationId = newId('organization');
      const appended = async (count: number): Promise<void> => {
        for (let at = 0; at < count; at += 1) await subject.short.append([realtimeEvent(organizationId)]);
      };
      await appended(20);
      expect(await log().read(organizationId, 0, 100)).toHaveLength(20);
      await appended(23);
      // Behind the caller's back.
      await expect.poll(async () => (await log().read(organizationId, 0, 100)).length).toBeLessThan(26);
      const kept = seqs(await log().read(organizationId, 0, 100));
      expect([kept.length >= 20, kept.at(-1)]).toEqual([true, 43]);
      expect(await log().position(organizationId)).toMatchObject({ forgotten: (kept[0] ?? 0) - 1, last: 43 });
      const other = newId('organization');
      await log().append([realtimeEvent(other)]);
      expect(await log().read(other, 0, 10)).toHaveLength(1);
    });

    test('what one process forwards and another receives reaches its listeners, once each', async () => {
      const organizationId = newId('organization');
      const got: LoggedEvent[] = [];
      const stop = log().subscribe(organizationId, (event) => got.push(event));
      const [first, second] = [realtimeEvent(organizationId), realtimeEvent(organizationId)];
      await subject.elsewhere.append([first]);
      await subject.elsewhere.append([first, second]);
      expect(got).toEqual(await log().read(organizationId, 0, 10));
      expect(got.map((event) => event.dedupeId)).toEqual([first.dedupeId, second.dedupeId]);
      stop();
      await subject.elsewhere.append([realtimeEvent(organizationId)]);
      expect(got).toHaveLength(2);
    });

    test('an event that two processes append at once is stored once', async () => {
      const organizationId = newId('organization');
      const event = realtimeEvent(organizationId);
      await Promise.all([log(), subject.elsewhere, log(), subject.elsewhere].map((one) => one.append([event])));
      expect(await log().read(organizationId, 0, 100)).toHaveLength(1);
    });
  });
}

function durable(log: () => EventLog): void {
  test('the events of one execution are read alone', async () => {
    const organizationId = newId('organization');
    const executionId = newId('execution');
    const mine = () => realtimeEvent(organizationId, { executionId });
    const events = [mine(), realtimeEvent(organizationId), mine(), realtimeEvent(organizationId), mine()];
    await log().append(events);
    const read = await log().read(organizationId, 0, 10, { executionId });
    expect(read.map((event) => event.dedupeId)).toEqual([0, 2, 4].map((at) => events[at]?.dedupeId));
    expect(await log().read(organizationId, read[0]?.seq ?? 0, 1, { executionId })).toEqual([read[1]]);
    expect(await log().read(newId('organization'), 0, 10, { executionId })).toEqual([]);
  });

  test('its position tells name, first and last, before the first event and after', async () => {
    const organizationId = newId('organization');
    const empty = await log().position(organizationId);
    expect(empty).toEqual({ epoch: expect.stringMatching(/^[0-9a-f]+$/), forgotten: 0, last: 0 });
    await log().append([realtimeEvent(organizationId), realtimeEvent(organizationId)]);
    const { epoch } = empty;
    expect(await log().position(organizationId)).toEqual({ epoch, forgotten: 0, last: 2 });
    const other = newId('organization');
    await log().append([realtimeEvent(other)]);
    const told = await log().position(other);
    expect(told).toMatchObject({ forgotten: 0, last: 1 });
    expect(told.epoch).not.toBe(epoch);
  });

  test('appended events are read back whole, in order, with rising numbers', async () => {
    const organizationId = newId('organization');
    const events = Array.from({ length: 5 }, (_, at) =>
      realtimeEvent(organizationId, { data: { at, text: `line\n${at}` } }),
    );
    await log().append(events);
    const read = await log().read(organizationId, 0, 100);
    expect(read).toEqual(events.map((event, at) => ({ ...event, seq: read[at]?.seq })));
    expect(rising(seqs(read))).toBe(true);
  });

  test('reading goes on after a number, and stops at the limit', async () => {
    const organizationId = newId('organization');
    const events = Array.from({ length: 6 }, () => realtimeEvent(organizationId));
    await log().append(events);
    const first = await log().read(organizationId, 0, 4);
    const rest = await log().read(organizationId, first.at(-1)?.seq ?? 0, 4);
    expect([...first, ...rest].map((event) => event.dedupeId)).toEqual(events.map((event) => event.dedupeId));
    expect(await log().read(organizationId, rest.at(-1)?.seq ?? 0, 4)).toEqual([]);
    expect(await log().read(organizationId, 1_000_000, 4)).toEqual([]);
  });

  test('an event that is known already changes nothing, alone or among new ones', async () => {
    const organizationId = newId('organization');
    const [known, fresh] = [realtimeEvent(organizationId), realtimeEvent(organizationId)];
    await log().append([known]);
    const before = await log().read(organizationId, 0, 10);
    await log().append([{ ...known, data: { other: true } }]);
    expect(await log().read(organizationId, 0, 10)).toEqual(before);
    await log().append([known, fresh, known]);
    const after = await log().read(organizationId, 0, 10);
    expect(after.map((event) => event.dedupeId)).toEqual([known.dedupeId, fresh.dedupeId]);
    expect(after[0]).toEqual(before[0]);
  });

  test('the log of one organization shows nothing of another', async () => {
    const [mine, theirs] = [newId('organization'), newId('organization')];
    await log().append([realtimeEvent(mine), realtimeEvent(theirs), realtimeEvent(mine)]);
    expect((await log().read(mine, 0, 10)).map((event) => event.organizationId)).toEqual([mine, mine]);
    expect(await log().read(newId('organization'), 0, 10)).toEqual([]);
  });

  test('appending nothing is done at once', async () => {
    await expect(log().append([])).resolves.toBeUndefined();
  });
}

function heard(log: () => EventLog): void {
  test('a listener hears events of its organization once they are stored, with the stored number', async () => {
    const [mine, theirs] = [newId('organization'), newId('organization')];
    const heardEvents: LoggedEvent[] = [];
    const stop = log().subscribe(mine, (event) => heardEvents.push(event));
    await log().append([realtimeEvent(theirs), realtimeEvent(mine), realtimeEvent(mine)]);
    stop();
    const read = await log().read(mine, 0, 10);
    expect(heardEvents).toEqual(read);
    expect(read).toHaveLength(2);
  });

  test('no listener receives a known event again', async () => {
    const organizationId = newId('organization');
    const event = realtimeEvent(organizationId);
    await log().append([event]);
    const heardEvents: LoggedEvent[] = [];
    const stop = log().subscribe(organizationId, (one) => heardEvents.push(one));
    await log().append([event]);
    stop();
    expect(heardEvents).toEqual([]);
  });

  test('a listener that stopped hears nothing more, and the others go on', async () => {
    const organizationId = newId('organization');
    const [gone, staying]: [LoggedEvent[], LoggedEvent[]] = [[], []];
    const stopGone = log().subscribe(organizationId, (event) => gone.push(event));
    const stopStaying = log().subscribe(organizationId, (event) => staying.push(event));
    await log().append([realtimeEvent(organizationId)]);
    stopGone();
    stopGone();
    await log().append([realtimeEvent(organizationId)]);
    stopStaying();
    expect([gone.length, staying.length]).toEqual([1, 2]);
  });

  test('a listener that throws keeps neither the others from hearing nor the writer from going on', async () => {
    const organizationId = newId('organization');
    const heardEvents: LoggedEvent[] = [];
    const stopBroken = log().subscribe(organizationId, () => {
      throw new Error('a listener broke');
    });
    const stop = log().subscribe(organizationId, (event) => heardEvents.push(event));
    await expect(log().append([realtimeEvent(organizationId), realtimeEvent(organizationId)])).resolves.toBeUndefined();
    stopBroken();
    stop();
    expect(heardEvents).toHaveLength(2);
  });
}
