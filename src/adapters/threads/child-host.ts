import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';

/**
 * Entry point of a guarded child process: runs a thread script, passes its packets on, and ends with the thread, with the parent, or when
 * the process takes more memory than it may. Only a process can be held to its memory: that of typed arrays and of native libraries is
 * not part of a thread's heap. Arguments: URL of the script, largest resident memory in bytes, and the computing time of a call in milliseconds
 * after which the process gives way to all others, or 0.
 */
const lookMs = 20;

const [, , entry = '', limit = '0', patience = '0'] = process.argv;
host(new URL(entry), Number(limit), Number(patience));

/** Gives the lowest priority to this process. Linux has one for each thread. Nobody without rights can raise it again. */
function giveWay(): void {
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
  for (const thread of threads) setPriority(thread, constants.priority.PRIORITY_LOW);
}

function host(script: URL, mostBytes: number, patienceMs: number): void {
  // The process computes for one caller, and requests of all others come first. Order matters: the thread inherits it.
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  const thread = new Worker(script, { execArgv: [] });
  let calls = 0;
  let looker: NodeJS.Timeout | undefined;
  let begun = process.cpuUsage();
  let isWorn = false;
  const look = (): void => {
    if (process.memoryUsage.rss() > mostBytes) process.exit(1);
    const { user, system } = process.cpuUsage(begun);
    if (isWorn || patienceMs === 0 || user + system < patienceMs * 1_000) return;
    isWorn = true;
    giveWay();
  };
  process.on('message', (packet) => {
    if (isCpuQuestion(packet)) {
      process.send?.({ jobId: packet.jobId, status: 'resolve', data: process.cpuUsage() });
      return;
    }
    if (calls === 0) begun = process.cpuUsage();
    calls += 1;
    looker ??= setInterval(look, lookMs);
    thread.postMessage(packet, []);
  });
  thread.on('message', (reply) => {
    calls -= 1;
    if (calls === 0) {
      clearInterval(looker);
      looker = undefined;
    }
    process.send?.(isWorn ? { ...reply, isWorn } : reply);
  });
  thread.on('error', () => process.exit(1));
  thread.on('exit', () => process.exit(1));
  process.on('disconnect', () => process.exit(0));
  // A signal to the whole group of processes: the parent ends this process when its own work has ended.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
}

function isCpuQuestion(packet: unknown): packet is { readonly jobId: number } {
  return typeof packet === 'object' && packet !== null && 'action' in packet && packet.action === 'cpuUsage';
}
