import type { Logger } from '#src/domain/ports/logger.ts';
import { addressOf, namedBy } from '#mcp/resources/address.ts';
import { workflowState } from '#mcp/resources/read.ts';
import { changesOf } from '#mcp/updates/changes.ts';
import { Coalescer } from '#mcp/updates/coalescer.ts';
import { Seen } from '#mcp/updates/seen.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';
import type { WorkflowStore } from '#src/stores/workflows.ts';

export interface UpdateSources {
  readonly events: Pick<EventLog, 'subscribe' | 'read' | 'position' | 'lookMs'>;
  readonly workflows: Pick<WorkflowStore, 'states'>;
  readonly logger: Logger;
}

export interface UpdateOptions {
  /** Minimum time between two notifications about a resource. */
  readonly pauseMs: number;
  /** Minimum time between two notifications about the list. */
  readonly listPauseMs: number;
  /** Interval of looks for edits of watched workflows, and of the question whether it is time to look for events of other processes. */
  readonly lookMs: number;
}

/** A stream or session that subscribes to changes. */
export interface Watcher {
  readonly organizationId: string;
  readonly projectIds: ReadonlySet<string>;
  /** URIs that it may read, with their states at that time. */
  readonly uris: ReadonlyMap<string, string>;
  readonly lists: boolean;
  /** Resolves to true while it may read a resource of another project. */
  mayRead(uri: string): Promise<boolean>;
  /** Sends a change. null: the list of resources. */
  notify(uri: string | null): void;
}

const page = 200;
/** Project of a change; null when it does not matter. */
type ProjectId = string | null;

/** Notifies all watchers of one organization, with one subscription and one reading of the log. */
export class OrganizationUpdates {
  readonly #organizationId: string;
  readonly #sources: UpdateSources;
  readonly #watchers = new Set<Watcher>();
  readonly #byUri = new Map<string, Set<Watcher>>();
  /** States of watched workflows, by URI. */
  readonly #states = new Map<string, string>();
  readonly #resources: Coalescer<ProjectId>;
  readonly #lists: Coalescer<ProjectId>;
  readonly #stop: () => void;
  #seen: Seen | null = null;
  #early: number[] = [];
  #looking: Promise<void> | null = null;
  #lookedAt = 0;
  #failing = false;

  constructor(organizationId: string, sources: UpdateSources, { pauseMs, listPauseMs }: UpdateOptions) {
    this.#organizationId = organizationId;
    this.#sources = sources;
    this.#resources = new Coalescer(pauseMs, (found) => this.#notifyResources(found));
    this.#lists = new Coalescer(listPauseMs, (found) => this.#notifyLists(found));
    this.#stop = sources.events.subscribe(organizationId, (event) => this.#receive(event));
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

  /** Finds events of other processes, and edits of watched workflows. Never rejects. */
  look(): Promise<void> {
    this.#lookedAt = performance.now();
    return this.#read([() => this.#readLog(), () => this.#readWorkflows()]);
  }

  /** Reads the log if it is time to, and the watched workflows, whose edits are no events. Called each `everyMs`. Never rejects. */
  lookIfDue(everyMs: number): Promise<void> {
    if (performance.now() - this.#lookedAt + everyMs / 2 >= this.#sources.events.lookMs(everyMs)) return this.look();
    return this.#read([() => this.#readWorkflows()]);
  }

  #read(parts: readonly (() => Promise<void>)[]): Promise<void> {
    this.#looking ??= Promise.all(parts.map((part) => part()))
      .then(() => {
        this.#failing = false;
      })
      .catch((error: unknown) => {
        if (!this.#failing) this.#sources.logger.warn({ err: error }, 'changes could not be read; retrying');
        this.#failing = true;
      })
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  #receive(event: LoggedEvent): void {
    if (this.#seen === null) this.#early.push(event.seq);
    else if (!this.#seen.add(event.seq)) return;
    const { uris, list } = changesOf(event);
    for (const uri of uris) if (this.#byUri.has(uri)) this.#resources.add(uri, event.projectId);
    if (list) this.#lists.add(event.projectId, event.projectId);
  }

  async #readLog(): Promise<void> {
    const { events } = this.#sources;
    this.#seen ??= await this.#begin();
    const seen = this.#seen;
    for (let full = true; full;) {
      const found = await events.read(this.#organizationId, seen.upTo, page);
      for (const event of found) this.#receive(event);
      seen.readUpTo(found.at(-1)?.seq ?? 0);
      full = found.length === page;
    }
  }

  async #begin(): Promise<Seen> {
    const { last } = await this.#sources.events.position(this.#organizationId);
    const seen = new Seen(last);
    for (const seq of this.#early) seen.add(seq);
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

  #notifyResources(found: ReadonlyMap<string, ProjectId>): void {
    for (const [uri, projectId] of found)
      for (const watcher of this.#byUri.get(uri) ?? []) this.#notify(watcher, uri, projectId);
  }

  #notify(watcher: Watcher, uri: string, projectId: ProjectId): void {
    if (projectId === null || watcher.projectIds.has(projectId)) {
      watcher.notify(uri);
      return;
    }
    // The resource is a document of another project, which was public at the start.
    watcher
      .mayRead(uri)
      .then((may) => {
        if (may && this.#watchers.has(watcher)) watcher.notify(uri);
      })
      .catch((error: unknown) => {
        this.#sources.logger.debug({ err: error }, 'the access of a watcher could not be checked');
      });
  }

  #notifyLists(found: ReadonlyMap<string, ProjectId>): void {
    for (const watcher of this.#watchers)
      if (watcher.lists && [...found.keys()].some((projectId) => watcher.projectIds.has(projectId)))
        watcher.notify(null);
  }
}
