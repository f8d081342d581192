import { withSharedReads } from '#app/compose/access/shared-organizations.ts';
import type { ToolDeps } from '#tools/deps.ts';

type Method = (...args: never[]) => Promise<unknown>;

/** Tells who listens in this process that somebody's access may have ended, so that what stands on it ends at once. */
export class AccessChanges {
  readonly #listeners = new Set<() => void>();

  /** Answers what stops it. */
  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The store, some of whose methods tell when they have done their work. */
  of<Store extends object>(store: Store, ...methods: readonly (keyof Store)[]): Store {
    const telling = methods.map((name) => {
      const method = store[name] as Method;
      const told = async (...args: never[]): Promise<unknown> => {
        const answer = await method.apply(store, args);
        for (const listener of this.#listeners) listener();
        return answer;
      };
      return [name, told];
    });
    return { ...store, ...(Object.fromEntries(telling) as Partial<Store>) };
  }
}

type AccessStores = Pick<ToolDeps, 'oauth' | 'apiKeys' | 'members' | 'organizations'>;

/** The stores that say who may do what, as calls use them. */
export function accessStores({ oauth, apiKeys, members, organizations }: AccessStores, changes: AccessChanges) {
  return {
    oauth: changes.of(oauth, 'revokeGrant', 'removeToken', 'revokeFamily'),
    apiKeys: changes.of(apiKeys, 'revoke'),
    members: changes.of(members, 'remove'),
    organizations: withSharedReads(organizations),
  } satisfies AccessStores;
}
