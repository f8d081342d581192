import type { Logger } from '#src/domain/ports/logger.ts';
import { addressOf, namedBy } from '#mcp/resources/address.ts';
import { workflowState } from '#mcp/resources/readable.ts';
import { changesOf } from '#mcp/updates/changes.ts';
import { Coalescer } from '#mcp/updates/coalescer.ts';
import { Seen } from '#mcp/updates/seen.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';
import type { WorkflowStore } from '#src/stores/workflows.ts';

export interface UpdateSources {
  readonly events: Pick<EventLog, 'subscribe' | 'read' | 'position'>;
  readonly workflows: Pick<WorkflowStore, 'states'>;
  readonly logger: Logger;
}

export interface UpdateOptions {
  /** A resource is told of at most once in that time. */
  readonly pauseMs: number;
  /** So is the list of resources. */
  readonly listPauseMs: number;
  /** How often the log is looked at for what other processes appended, and workflows that somebody watches for edits. */
  readonly lookMs: number;
  /** How long a number that was given out may be missing from the log. */
  readonly patienceMs: number;
}

/** A stream or session that wants to hear what changes. */
export interface Watcher {
  readonly organizationId: string;
  readonly projectIds: ReadonlySet<string>;
  /** What it may read, and the state that it was in when that was found out. */
  readonly uris: ReadonlyMap<string, string>;
  readonly lists: boolean;
  /** Whether it may still read what another project of its organization has. */
  mayRead(uri: string): Promise<boolean>;
  /** null: the list of resources. */
  tell(uri: string | null): void;
}

const page = 200;
/** The project of a change is that of the watcher, or is not known to matter. */
type ProjectId = string | null;

/** What one organization's watchers hear: one subscription and one reading of the log for all of them. */
export class OrganizationUpdates {
  readonly #organizationId: string;
  readonly #sources: UpdateSources;
  readonly #patienceMs: number;
  readonly #watchers = new Set<Watcher>();
  readonly #byUri = new Map<string, Set<Watcher>>();
  /** Of the workflows that are watched, by their addresses. */
  readonly #states = new Map<string, string>();
  readonly #resources: Coalescer<ProjectId>;
  readonly #lists: Coalescer<ProjectId>;
  readonly #stop: () => void;
  #seen: Seen | null = null;
  #early: number[] = [];
  #looking: Promise<void> | null = null;
  #failing = false;

  constructor(organizationId: string, sources: UpdateSources, { pauseMs, listPauseMs, patienceMs }: UpdateOptions) {
    this.#organizationId = organizationId;
    this.#sources = sources;
    this.#patienceMs = patienceMs;
    this.#resources = new Coalescer(pauseMs, (found) => this.#tellResources(found));
    this.#lists = new Coalescer(listPauseMs, (found) => this.#tellLists(found));
    this.#stop = sources.events.subscribe(organizationId, (event) => this.#hear(event));
  }

  get size(): number {
    return this.#watchers.size;
  }

  add(watcher: Watcher): void {
    this.#watchers.add(watcher);
    for (const [uri, state] of watcher.uris) {
      const others = this.#byUri.get(uri) ?? new Set();
      this.#byUri.set(uri, others.add(watcher));
      if (namedBy(uri)?.kind === 'workflow' && !this.#states.has(uri)) this.#states.set(uri, state);
    }
  }

  delete(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    for (const uri of watcher.uris.keys()) {
      const others = this.#byUri.get(uri);
      others?.delete(watcher);
      if (others === undefined || others.size > 0) continue;
      this.#byUri.delete(uri);
      this.#states.delete(uri);
    }
  }

  close(): void {
    this.#stop();
    this.#resources.close();
    this.#lists.close();
  }

  /** Finds what other processes appended, and edits of workflows that are watched. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= Promise.all([this.#readLog(), this.#readWorkflows()])
      .then(() => {
        this.#failing = false;
      })
      .catch((error: unknown) => {
        if (!this.#failing) this.#sources.logger.warn({ err: error }, 'changes could not be looked for; trying again');
        this.#failing = true;
      })
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  #hear(event: LoggedEvent): void {
    if (this.#seen === null) this.#early.push(event.seq);
    else if (!this.#seen.add(event.seq, performance.now())) return;
    const { uris, list } = changesOf(event);
    for (const uri of uris) if (this.#byUri.has(uri)) this.#resources.add(uri, event.projectId);
    if (list) this.#lists.add(event.projectId, event.projectId);
  }

  async #readLog(): Promise<void> {
    const { events } = this.#sources;
    this.#seen ??= await this.#begin();
    const seen = this.#seen;
    let after = seen.upTo;
    for (let full = true; full;) {
      const found = await events.read(this.#organizationId, after, page);
      for (const event of found) this.#hear(event);
      after = found.at(-1)?.seq ?? after;
      full = found.length === page;
    }
    seen.giveUp(performance.now());
  }

  /** What is stored by now is known to whoever reads now; what others are still storing has a number near the end. */
  async #begin(): Promise<Seen> {
    const { events } = this.#sources;
    const { last } = await events.position(this.#organizationId);
    const after = Math.max(0, last - page);
    const stored = await events.read(this.#organizationId, after, page);
    const seen = new Seen(stored[0] === undefined ? last : stored[0].seq - 1, this.#patienceMs);
    const now = performance.now();
    for (const seq of [...stored.map((event) => event.seq), ...this.#early]) seen.add(seq, now);
    this.#early = [];
    return seen;
  }

  async #readWorkflows(): Promise<void> {
    const before = [...this.#states];
    if (before.length === 0) return;
    const ids = before.flatMap(([uri]) => {
      const named = namedBy(uri);
      return named?.kind === 'workflow' ? [named.id] : [];
    });
    const found = await this.#sources.workflows.states(this.#organizationId, ids);
    const now = new Map(
      found.map(({ workflowId, revision, publishedVersion }) => [
        addressOf({ kind: 'workflow', id: workflowId }),
        workflowState(revision, publishedVersion),
      ]),
    );
    for (const [uri, state] of before) {
      const current = now.get(uri) ?? 'gone';
      if (current === state || !this.#states.has(uri)) continue;
      this.#states.set(uri, current);
      this.#resources.add(uri, null);
    }
  }

  #tellResources(found: ReadonlyMap<string, ProjectId>): void {
    for (const [uri, projectId] of found)
      for (const watcher of this.#byUri.get(uri) ?? []) this.#tell(watcher, uri, projectId);
  }

  #tell(watcher: Watcher, uri: string, projectId: ProjectId): void {
    if (projectId === null || watcher.projectIds.has(projectId)) {
      watcher.tell(uri);
      return;
    }
    // A document of another project that was public when this began.
    watcher
      .mayRead(uri)
      .then((may) => {
        if (may && this.#watchers.has(watcher)) watcher.tell(uri);
      })
      .catch((error: unknown) => {
        this.#sources.logger.debug({ err: error }, 'whether a change may be told could not be found out');
      });
  }

  #tellLists(found: ReadonlyMap<string, ProjectId>): void {
    for (const watcher of this.#watchers)
      if (watcher.lists && [...found.keys()].some((projectId) => watcher.projectIds.has(projectId))) watcher.tell(null);
  }
}
