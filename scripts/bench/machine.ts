import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';

/** Description of the machine, without which the figures mean little. */
export interface Machine {
  readonly node: string;
  readonly system: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
}

export function machine(): Machine {
  return {
    node: process.version,
    system: `${platform()} ${release()}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
  };
}

/** Milliseconds that all cores together were busy since the machine started, whoever kept them so. */
export function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

/** Runnable processes, mean of the last minute; above the number of cores, others were at work. */
export function oneMinuteLoad(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}
