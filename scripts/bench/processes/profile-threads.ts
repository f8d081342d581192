/**
 * Loaded into every thread of a process under test when profiles are wanted: a thread profiles itself from the broadcast of a label
 * to the next broadcast of null, so that a profile holds what was measured and nothing of its preparation.
 */
import { writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { BroadcastChannel, isMainThread, threadId, type MessagePort } from 'node:worker_threads';
import { serve } from '#scripts/bench/processes/serve.ts';

const folder = process.env['BENCH_PROFILES'] ?? '.';
const thread = isMainThread ? 'main' : `thread-${threadId}`;
const session = new Session();
let label: string | null = null;
/** One change after the other: the end of a profile takes longer than what comes between two of them. */
let changes: Promise<void> = Promise.resolve();

async function change(next: string | null): Promise<void> {
  if (next !== null) {
    label = next;
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 500 });
    return session.post('Profiler.start');
  }
  if (label === null) return;
  const { profile } = await session.post('Profiler.stop');
  await writeFile(join(folder, `${label}-${thread}.cpuprofile`), JSON.stringify(profile));
  session.disconnect();
  label = null;
}

function enqueue(wanted: string | null): Promise<void> {
  changes = changes.then(() => change(wanted));
  return changes;
}

const channel = new BroadcastChannel('inkgraph-bench-profile');
channel.addEventListener('message', (event) => void enqueue((event as MessageEvent).data as string | null));
(channel as unknown as MessagePort).unref();

if (isMainThread) {
  serve({
    profile(wanted: string | null) {
      channel.postMessage(wanted);
      return enqueue(wanted);
    },
  });
}
