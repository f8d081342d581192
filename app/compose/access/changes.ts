import { SharedReads } from '#src/concurrency/shared-reads.ts';
import type { OrganizationRecord, ProjectRecord } from '#src/domain/access/organization.ts';
import type { OrganizationStore } from '#src/stores/organizations.ts';
import type { Siblings } from '#app/compose/processes/siblings.ts';
import type { ToolDeps } from '#tools/deps.ts';

/** Shortest time between two checks that siblings ask for. */
const hearAgainMs = 250;

type Method = (...args: never[]) => Promise<unknown>;

/** Notifies listeners, of this process and its siblings, that a caller's access may have ended, so that open streams end at once. */
export class AccessChanges {
  readonly #listeners = new Set<() => void>();
  readonly #siblings: Pick<Siblings, 'tellAccess'>;
  #pause: NodeJS.Timeout | null = null;
  #again = false;

  /** Hears of changes in `siblings` for as long as these tell. */
  constructor(siblings: Pick<Siblings, 'tellAccess' | 'onAccess'>) {
    this.#siblings = siblings;
    siblings.onAccess(() => this.#hear());
  }

  /** Tells everybody, here and in the siblings. */
  announce(): void {
    this.#notify();
    this.#siblings.tellAccess();
  }

  /** Returns a function that stops listening. */
  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The store, with methods wrapped to notify when they are done. */
  of<Store extends object>(store: Store, ...methods: readonly (keyof Store)[]): Store {
    const wrapped = methods.map((name) => {
      const method = store[name] as Method;
      const notifying = async (...args: never[]): Promise<unknown> => {
        const answer = await method.apply(store, args);
        this.announce();
        return answer;
      };
      return [name, notifying];
    });
    return { ...store, ...(Object.fromEntries(wrapped) as Partial<Store>) };
  }

  /** Siblings may tell as often as people sign out: their messages are checked at once, and then together. */
  #hear(): void {
    if (this.#pause !== null) {
      this.#again = true;
      return;
    }
    this.#notify();
    this.#pause = setTimeout(() => {
      this.#pause = null;
      if (this.#again) this.#hear();
      this.#again = false;
    }, hearAgainMs).unref();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Reads organizations for nearly every call. Concurrent calls in one organization share one read. */
function withSharedReads(store: OrganizationStore): OrganizationStore {
  const organizations = new SharedReads<OrganizationRecord | null>((id) => store.findOrganization(id));
  const projects = new SharedReads<readonly ProjectRecord[]>((id) => store.listProjects(id));
  return {
    ...store,
    findOrganization: (id) => organizations.get(id),
    listProjects: (organizationId) => projects.get(organizationId),
  };
}

type AccessStores = Pick<ToolDeps, 'oauth' | 'apiKeys' | 'members' | 'organizations'>;

/** The access stores, with notifications. */
export function accessStores({ oauth, apiKeys, members, organizations }: AccessStores, changes: AccessChanges) {
  return {
    oauth: changes.of(oauth, 'revokeGrant', 'removeToken', 'revokeFamily'),
    apiKeys: changes.of(apiKeys, 'revoke'),
    members: changes.of(members, 'remove', 'setProjectRole'),
    organizations: changes.of(withSharedReads(organizations), 'demandSecondFactor'),
  } satisfies AccessStores;
}
