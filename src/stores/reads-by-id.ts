import { batchedReads } from '#src/concurrency/batched-reads.ts';

interface Wanted<Tenant> {
  readonly tenant: Tenant;
  readonly id: string;
}

/**
 * Reads rows by id. Concurrent reads share one command for each tenant, so that every query names its tenant. `load` returns those of `ids`
 * that the tenant may read; `tenant` is plain JSON.
 */
export function readsById<Tenant, Row extends { readonly _id: string }>(
  load: (tenant: Tenant, ids: readonly string[]) => Promise<readonly Row[]>,
): (tenant: Tenant, id: string) => Promise<Row | null> {
  const keyOf = (tenant: Tenant, id: string): string => JSON.stringify({ tenant, id } satisfies Wanted<Tenant>);
  const read = batchedReads<Row>(async (keys) => {
    const wanted = keys.map((key) => JSON.parse(key) as Wanted<Tenant>);
    const groups = Map.groupBy(wanted, ({ tenant }) => JSON.stringify(tenant));
    const found = await Promise.all(
      [...groups.values()].map(async (ofOne) => {
        const [first] = ofOne;
        if (first === undefined) return [];
        const rows = await load(
          first.tenant,
          ofOne.map(({ id }) => id),
        );
        return rows.map((row) => [keyOf(first.tenant, row._id), row] as const);
      }),
    );
    return new Map(found.flat());
  });
  return async (tenant, id) => (await read(keyOf(tenant, id))) ?? null;
}
