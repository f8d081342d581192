import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ToolDeps } from '#tools/deps.ts';
import type { McpCaller } from '#mcp/caller.ts';
import { askAs } from '#mcp/resources/ask.ts';
import { readableState } from '#mcp/resources/read.ts';
import { OrganizationUpdates, type UpdateOptions, type Watcher } from '#mcp/updates/organization-updates.ts';

/** URIs that one stream or session may subscribe to. */
const mostUris = 100;
const atOnce = 10;

const updateDefaults: UpdateOptions = { pauseMs: 100, listPauseMs: 1_000, lookMs: 1_000 };

/** A subscription of a stream or session. */
export interface Wanted {
  readonly caller: McpCaller;
  /** URIs that the caller may read, with their states, from `admit`. */
  readonly uris: ReadonlyMap<string, string>;
  readonly lists: boolean;
  readonly notify: Watcher['notify'];
}

/**
 * Subscriptions to changes of resources: one `OrganizationUpdates` for each organization with subscribers, and one timer for all of them,
 * which runs only while there are subscribers. Source: docs/decisions/0046.
 */
export class Updates {
  readonly #deps: ToolDeps;
  readonly #options: UpdateOptions;
  readonly #organizations = new Map<string, OrganizationUpdates>();
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: ToolDeps, options: Partial<UpdateOptions> = {}) {
    this.#deps = deps;
    this.#options = { ...updateDefaults, ...options };
  }

  /** Number of organizations with subscribers. */
  get size(): number {
    return this.#organizations.size;
  }

  /** Protocol error: too many URIs for one stream or session. */
  requireRoom(count: number): void {
    if (count <= mostUris) return;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `One subscription has at most ${mostUris} resources. Unsubscribe from some, or open another one.`,
    );
  }

  /** Returns the URIs that the caller may read, with their states. Protocol error: too many URIs. */
  async admit(caller: McpCaller, uris: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const unique = [...new Set(uris)];
    this.requireRoom(unique.length);
    const ask = askAs(this.#deps, caller, signal);
    const admitted = new Map<string, string>();
    const left = unique.values();
    const lane = async (): Promise<void> => {
      for (const uri of left) {
        const state = await readableState(caller, ask, uri);
        if (state !== null) admitted.set(uri, state);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    return admitted;
  }

  /** Notifies of changes until the returned function is called. */
  watch({ caller, uris, lists, notify }: Wanted): () => void {
    const { organizationId, projectIds } = caller.principal;
    const watcher: Watcher = {
      organizationId,
      projectIds: new Set(projectIds),
      uris,
      lists,
      notify,
      mayRead: async (uri) => {
        const ask = askAs(this.#deps, caller, AbortSignal.timeout(10_000));
        return (await readableState(caller, ask, uri)) !== null;
      },
    };
    const known = this.#organizations.get(organizationId);
    const organization = known ?? new OrganizationUpdates(organizationId, this.#deps, this.#options);
    this.#organizations.set(organizationId, organization);
    organization.add(watcher);
    this.#turn();
    if (known === undefined) void organization.look();
    return () => {
      organization.delete(watcher);
      if (organization.size > 0 || this.#organizations.get(organizationId) !== organization) return;
      this.#organizations.delete(organizationId);
      organization.close();
      if (this.#organizations.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
  }

  #turn(): void {
    this.#timer ??= setInterval(() => {
      for (const organization of this.#organizations.values()) void organization.lookIfDue(this.#options.lookMs);
    }, this.#options.lookMs).unref();
  }
}
