import type { Health } from '#src/contracts/resources/health.ts';
import type { DocumentType } from '#src/contracts/media-types.ts';
import type { DiskState } from '#src/domain/ports/object-store.ts';
import type { Stored } from '#src/domain/access/quota.ts';
import type { QueueReader } from '#tools/core/queue-state.ts';

type Check = Health['checks']['database'];

export interface HealthParts {
  readonly version: string;
  readonly instanceId: string;
  readonly queue: Pick<QueueReader, 'read'>;
  readonly modelLabels: {
    readonly describer: string;
    readonly textEmbeddings: string;
    readonly imageEmbeddings: string;
  };
  /** Types of files that are accepted. */
  readonly contentTypes: readonly DocumentType[];
  /** Longest wait of a queued run, in seconds, before the queue counts as degraded. */
  readonly queueWaitSeconds: number;
  checkDatabase(): Promise<void>;
  checkObjects(): Promise<void>;
  /** null: the objects are on the disk, or the service has not answered yet. */
  abilities(): Health['checks']['objects']['abilities'] | null;
  checkSearch(): Promise<void>;
  /** Form of the vectors of the search; none: whole ones. */
  readonly quantization: 'none' | 'scalar' | 'binary';
  /** Time of the oldest event in the outboxes of documents; null: they are empty. */
  oldestEvent(): Promise<Date | null>;
  /** null: the object store tells no limit. */
  disk(): Promise<DiskState | null>;
  stored(): Promise<Stored>;
  /** null: none is configured. */
  redis(): { readonly isUp: boolean; readonly detail: string | null } | null;
}

/** Age from which an event in an outbox counts as stuck: a sweep relays what is left after a crash within seconds. */
const stuckEventSeconds = 60;

const freshMs = 1_000;
const patienceMs = 3_000;

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
    const statuses = Object.values(checks).flatMap((check) => check?.status ?? []);
    const status = [checks.database, checks.objects].some((check) => check.status === 'error')
      ? 'error'
      : statuses.some((one) => one === 'error' || one === 'degraded')
        ? 'degraded'
        : 'ok';
    const { version, instanceId } = this.#parts;
    return { status, service, version, instanceId, uptimeSeconds: Math.round(process.uptime()), checks };
  }

  async #check(): Promise<Health['checks']> {
    const { modelLabels, quantization, contentTypes } = this.#parts;
    let queue: Health['checks']['queue'] = { status: 'error', depth: 0, oldestSeconds: 0, oldestEventSeconds: 0 };
    let storage: Health['checks']['storage'] = { status: 'error', freeBytes: 0, minFreeBytes: 0, bytes: 0, objects: 0 };
    const [database, objects, search] = await Promise.all([
      tried(async () => {
        await this.#parts.checkDatabase();
        queue = await this.#queue();
      }),
      tried(() => this.#parts.checkObjects()),
      tried(() => this.#parts.checkSearch()).then((check) => ({
        ...check,
        ...(quantization !== 'none' && { quantization }),
      })),
      tried(async () => {
        const [disk, stored] = await Promise.all([this.#parts.disk(), this.#parts.stored()]);
        const isFull = disk !== null && disk.freeBytes < disk.minFreeBytes;
        storage = {
          status: isFull ? 'degraded' : 'ok',
          ...(disk ?? { freeBytes: null, minFreeBytes: null }),
          ...stored,
        };
      }),
    ]);
    const redis = this.#redis();
    const abilities = this.#parts.abilities();
    const store = abilities ? { ...objects, abilities } : objects;
    const images = { status: 'ok' as const, contentTypes: [...contentTypes] };
    const models = { status: 'ok' as const, ...modelLabels };
    return { database, objects: store, storage, queue, search, ...redis, images, models };
  }

  #redis(): Pick<Health['checks'], 'redis'> {
    const redis = this.#parts.redis();
    if (redis === null) return {};
    return { redis: redis.isUp ? { status: 'ok' } : { status: 'error', detail: redis.detail ?? 'does not answer' } };
  }

  async #queue(): Promise<Health['checks']['queue']> {
    const { queue, queueWaitSeconds } = this.#parts;
    const [{ depth, oldestSeconds }, oldest] = await Promise.all([queue.read(), this.#parts.oldestEvent()]);
    const oldestEventSeconds = oldest === null ? 0 : Math.max(0, Math.round((Date.now() - oldest.getTime()) / 1_000));
    const read = { depth, oldestSeconds, oldestEventSeconds };
    if (oldestEventSeconds > stuckEventSeconds) {
      const detail = `An event of a document waits for ${oldestEventSeconds} s, so an upload may have no run yet. Check the log of the agents service.`;
      return { status: 'degraded', ...read, detail };
    }
    if (oldestSeconds <= queueWaitSeconds) return { status: 'ok', ...read };
    const detail = `The oldest queued run waits longer than ${queueWaitSeconds} s. Check that an agents service runs and has free slots.`;
    return { status: 'degraded', ...read, detail };
  }
}
