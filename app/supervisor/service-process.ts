import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Listeners } from '#app/compose/services.ts';
import type { ServiceMessage, SiblingMessage, SupervisorMessage } from '#app/supervisor/messages.ts';
import type { Ports } from '#src/config/config.ts';
import type { ServiceName } from '#src/config/env.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

export interface ServiceProcessOptions {
  readonly services: readonly ServiceName[];
  readonly ports: Ports;
  readonly metricsPort: number | null;
  /** Scheduling priority: services that answer requests come before those that work on runs. */
  readonly priority: 'PRIORITY_NORMAL' | 'PRIORITY_BELOW_NORMAL';
  /** Half of the young generation's space of V8, in MiB. The usual 16 grow a process by tens of MiB, and save little work. */
  readonly semiSpaceMib: number;
  /** Longest wait before a restart. The first restart within a minute does not wait. */
  readonly longestPauseMs: number;
  readonly logger: Logger;
  /** Called with what the process tells its sibling. */
  passOn(message: SiblingMessage): void;
  /** Time in milliseconds between two signs of life. A process that misses twelve in a row is killed. */
  readonly beatMs: number;
}

const program = fileURLToPath(new URL('service.ts', import.meta.url));
const firstPauseMs = 100;
const recentMs = 60_000;
const mostMissed = 12;
/** Starts that a signal may end before the first one succeeds, such as those of a machine that is short of memory for a moment. */
const mostKilledStarts = 3;

function yieldTo(pid: number | undefined, priority: number): void {
  try {
    if (pid !== undefined) setPriority(pid, priority);
  } catch {
    // Some sandboxes forbid it: the process works at the usual priority.
  }
}

/** Services that run in a child process, which is started again when it ends by itself. */
export class ServiceProcess {
  readonly #options: ServiceProcessOptions;
  readonly #up = Promise.withResolvers<Listeners | null>();
  #child: ChildProcess;
  #ports: Ports;
  #listeners: Listeners | null = null;
  /** Times of the ends within the last minute. */
  #ends: number[] = [];
  #restarting: NodeJS.Timeout | null = null;
  /** Signs of life missed in a row. They are counted, not timed: a supervisor that was paused itself has counted none. */
  #missed = 0;
  readonly #watch: NodeJS.Timeout;
  #stopping = false;
  #begun = false;

  /** Forks the process, which loads its modules and waits for `begin`. */
  constructor(options: ServiceProcessOptions) {
    this.#options = options;
    this.#ports = options.ports;
    this.#child = this.#fork();
    this.#watch = setInterval(() => this.#look(), options.beatMs).unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Starts the services. Resolves when they listen; null: the process ended instead and said why, or was killed again and again. */
  begin(ports: Partial<Ports> = {}): Promise<Listeners | null> {
    this.#ports = { ...this.#ports, ...ports };
    this.#begun = true;
    this.#begin();
    return this.#up.promise;
  }

  tell(message: SupervisorMessage): void {
    // A message to a process that is ending is lost: what it reports is in the database.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Ends the process within `ms` because of `reason`, and starts it no more. */
  async stop(ms: number, reason: string): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#watch);
    if (this.#restarting !== null) clearTimeout(this.#restarting);
    const child = this.#child;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    this.tell({ kind: 'stop', reason });
    const timer = setTimeout(() => child.kill('SIGKILL'), ms);
    await ended;
    clearTimeout(timer);
  }

  #fork(): ChildProcess {
    const { services, priority } = this.#options;
    const child = fork(program, services, {
      execArgv: [
        '--disable-warning=ExperimentalWarning',
        '--expose-gc',
        `--max-semi-space-size=${this.#options.semiSpaceMib}`,
      ],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Events hold dates.
      serialization: 'advanced',
    });
    yieldTo(child.pid, constants.priority[priority]);
    child.on('message', (message: ServiceMessage) => this.#receive(message));
    child.once('exit', (code, signal) => this.#ended(code, signal));
    child.on('error', (error) => {
      this.#options.logger.error({ err: error, pid: child.pid }, 'service process could not be started or reached');
      // Without a process, `exit` does not come.
      if (child.pid === undefined) this.#ended(null, null);
    });
    return child;
  }

  #begin(): void {
    const { services, metricsPort, beatMs } = this.#options;
    this.tell({ kind: 'begin', services, ports: this.#ports, metricsPort, beatMs, again: this.#ends.length > 0 });
  }

  /** Kills a process that is up and whose event loop stands still, once: it is started again as one that ended by itself. */
  #look(): void {
    if (this.#listeners === null || this.#restarting !== null || this.#child.killed) return;
    this.#missed += 1;
    if (this.#missed <= mostMissed) return;
    const { services, logger } = this.#options;
    logger.error({ services, pid: this.pid }, 'service process gave no sign of life: it is killed');
    this.#child.kill('SIGKILL');
  }

  #receive(message: ServiceMessage): void {
    this.#missed = 0;
    if (message.kind === 'beat') return;
    if (message.kind !== 'up') {
      this.#options.passOn(message);
      return;
    }
    const { addresses, ports } = message;
    if (this.#listeners !== null)
      this.#options.logger.info({ services: this.#options.services, pid: this.pid }, 'service process is up again');
    // Clients know the ports: the next process listens at the same ones.
    this.#ports = ports;
    this.#listeners = { addresses, ports };
    this.#up.resolve(this.#listeners);
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    const isFirst = this.#listeners === null;
    // A process that ends with a code could not start.
    if (this.#stopping || (isFirst && (signal === null || this.#ends.length >= mostKilledStarts))) {
      this.#up.resolve(null);
      return;
    }
    this.#missed = 0;
    const now = performance.now();
    this.#ends = [...this.#ends.filter((at) => now - at < recentMs), now];
    const { services, logger, longestPauseMs } = this.#options;
    const earlier = this.#ends.length - 1;
    const pauseMs = earlier === 0 ? 0 : Math.min(firstPauseMs * 2 ** (earlier - 1), longestPauseMs);
    logger.error({ services, code, signal, pauseMs }, 'service process ended by itself: it is started again');
    this.#restarting = setTimeout(() => {
      this.#restarting = null;
      this.#child = this.#fork();
      if (this.#begun) this.#begin();
    }, pauseMs);
  }
}
