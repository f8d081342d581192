import type { Health } from '#src/contracts/resources/health.ts';
import type { DiskState } from '#src/domain/ports/object-store.ts';
import type { Stored } from '#src/domain/access/quota.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';

type Check = Health['checks']['database'];

export interface HealthParts {
  readonly version: string;
  readonly executions: ExecutionStore;
  readonly modelLabels: {
    readonly describer: string;
    readonly textEmbeddings: string;
    readonly imageEmbeddings: string;
  };
  checkDatabase(): Promise<void>;
  checkObjects(): Promise<void>;
  checkSearch(): Promise<void>;
  disk(): Promise<DiskState>;
  stored(): Promise<Stored>;
}

const freshMs = 1_000;
const patienceMs = 3_000;
/** Age of the oldest due run, in milliseconds, at which no agents service seems to work. */
const stuckMs = 60_000;

async function tried(check: () => Promise<void>): Promise<Check> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('late')), patienceMs);
  try {
    await Promise.race([check(), late]);
    return { status: 'ok' };
  } catch {
    // The cause is in the log of the failing service; this endpoint is public.
    return { status: 'error', detail: 'does not answer' };
  } finally {
    clearTimeout(timer);
  }
}

/** Answers `/health`. Computed at most once a second for all callers; holds no secrets. Source: `health.body`. */
export class HealthService {
  readonly #parts: HealthParts;
  #latest: { at: number; checks: Promise<Health['checks']> } | null = null;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  async health(service: Health['service']): Promise<Health> {
    const now = performance.now();
    if (this.#latest === null || now - this.#latest.at > freshMs) this.#latest = { at: now, checks: this.#check() };
    const checks = await this.#latest.checks;
    const statuses = Object.values(checks).map((check) => check.status);
    const status = [checks.database, checks.objects].some((check) => check.status === 'error')
      ? 'error'
      : statuses.some((one) => one === 'error' || one === 'degraded')
        ? 'degraded'
        : 'ok';
    return { status, service, version: this.#parts.version, uptimeSeconds: Math.round(process.uptime()), checks };
  }

  async #check(): Promise<Health['checks']> {
    const { executions, modelLabels } = this.#parts;
    let queue: Health['checks']['queue'] = { status: 'error', depth: 0, oldestAgeMs: 0 };
    let storage: Health['checks']['storage'] = { status: 'error', freeBytes: 0, minFreeBytes: 0, bytes: 0, objects: 0 };
    const [database, objects, search] = await Promise.all([
      tried(async () => {
        await this.#parts.checkDatabase();
        const { depth, oldestAt } = await executions.depth(new Date());
        const oldestAgeMs = oldestAt === null ? 0 : Math.max(0, Date.now() - oldestAt.getTime());
        queue = { status: oldestAgeMs > stuckMs ? 'degraded' : 'ok', depth, oldestAgeMs };
      }),
      tried(() => this.#parts.checkObjects()),
      tried(() => this.#parts.checkSearch()),
      tried(async () => {
        const [disk, stored] = await Promise.all([this.#parts.disk(), this.#parts.stored()]);
        storage = { status: disk.freeBytes < disk.minFreeBytes ? 'degraded' : 'ok', ...disk, ...stored };
      }),
    ]);
    return { database, objects, storage, queue, search, models: { status: 'ok', ...modelLabels } };
  }
}
