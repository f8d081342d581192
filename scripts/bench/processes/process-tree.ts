import { readdir, readFile } from 'node:fs/promises';

/** Milliseconds of one clock tick of `/proc`: 100 a second on all Linux machines that Node runs on. */
const tickMs = 10;

export interface ProcessUsage {
  readonly cpuMs: number;
  readonly tesseractMs: number;
  readonly rssBytes: number;
  readonly peakBytes: number;
}

const readOrEmpty = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
const listOrEmpty = (path: string): Promise<string[]> => readdir(path).catch(() => []);

/** CPU of a process or a thread, from its line in `/proc`. The name in parentheses may contain spaces. */
function cpuMsOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs;
}

async function usageOf(pid: number): Promise<ProcessUsage> {
  const [stat, status, threads] = await Promise.all([
    readOrEmpty(`/proc/${pid}/stat`),
    readOrEmpty(`/proc/${pid}/status`),
    listOrEmpty(`/proc/${pid}/task`),
  ]);
  const stats = await Promise.all(threads.map((thread) => readOrEmpty(`/proc/${pid}/task/${thread}/stat`)));
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return {
    cpuMs: cpuMsOf(stat),
    tesseractMs: stats.filter((one) => one.includes('(tesseract)')).reduce((sum, one) => sum + cpuMsOf(one), 0),
    rssBytes: kilobytes('VmRSS') * 1_024,
    peakBytes: kilobytes('VmHWM') * 1_024,
  };
}

async function childrenOf(pid: number): Promise<number[]> {
  const lists = (await listOrEmpty(`/proc/${pid}/task`)).map((thread) =>
    readOrEmpty(`/proc/${pid}/task/${thread}/children`),
  );
  const direct = (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number));
  return [...direct, ...(await Promise.all(direct.map(childrenOf))).flat()];
}

/** Usage of the descendants of a process; nothing where there is no `/proc`. Those that have ended are not counted. */
export async function usageOfDescendants(pid: number): Promise<ProcessUsage> {
  const all = await Promise.all((await childrenOf(pid)).map(usageOf));
  const sum = (name: keyof ProcessUsage): number => all.reduce((total, one) => total + one[name], 0);
  return {
    cpuMs: sum('cpuMs'),
    tesseractMs: sum('tesseractMs'),
    rssBytes: sum('rssBytes'),
    peakBytes: sum('peakBytes'),
  };
}

/** Memory of a process and its descendants: pages that processes share count once. 0 where there is no `/proc`. */
export async function proportionalBytes(pid: number): Promise<number> {
  const rollups = [pid, ...(await childrenOf(pid))].map((one) => readOrEmpty(`/proc/${one}/smaps_rollup`));
  const kilobytes = (await Promise.all(rollups)).map((text) => Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0));
  return kilobytes.reduce((sum, one) => sum + one, 0) * 1_024;
}

/** Number of processes: this one and its descendants. */
export const processesOf = async (pid: number): Promise<number> => 1 + (await childrenOf(pid)).length;
