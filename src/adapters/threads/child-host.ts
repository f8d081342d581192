import { constants, getPriority, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';

/**
 * Entry point of a guarded child process: runs a thread script, passes its packets on, and ends with the thread, with the parent, or when
 * the process takes more memory than it may. Only a process can be held to its memory: that of typed arrays and of native libraries is
 * not part of a thread's heap. Arguments: URL of the script, largest resident memory in bytes.
 */
const lookMs = 20;

const [, , entry = '', limit = '0'] = process.argv;
host(new URL(entry), Number(limit));

function host(script: URL, mostBytes: number): void {
  // The process computes for one caller, and requests of all others come first. Order matters: the thread inherits it.
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  const thread = new Worker(script, { execArgv: [] });
  let calls = 0;
  let looker: NodeJS.Timeout | undefined;
  const look = (): void => {
    if (process.memoryUsage.rss() > mostBytes) process.exit(1);
  };
  process.on('message', (packet) => {
    if (isCpuQuestion(packet)) {
      process.send?.({ jobId: packet.jobId, status: 'resolve', data: process.cpuUsage() });
      return;
    }
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
    process.send?.(reply);
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
