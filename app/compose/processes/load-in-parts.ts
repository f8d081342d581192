import { flushCompileCache } from 'node:module';

/** In this order each part needs few modules that no part before it loads. The first three are mostly zod, the driver and Express. */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('#src/contracts/fields.ts'),
  () => import('#src/stores/connect.ts'),
  () => import('#http/base-app.ts'),
  () => import('#src/contracts/service.ts'),
  () => import('#app/compose/stores.ts'),
  () => import('#graphs/catalog.ts'),
  () => import('#tools/index.ts'),
  () => import('#app/compose/core.ts'),
];

/**
 * Loads the modules of a service process. Node keeps what it reads from the compile cache until it writes the cache: 12 MB for all modules,
 * in blocks between others that stay, so that the memory is not given back. Written after each part, the next one reads into the same
 * memory. Source: docs/decisions/0218.
 */
export async function loadInParts(services: readonly string[]) {
  for (const load of parts) {
    await load();
    flushCompileCache();
  }
  const { compose } = await import('#app/compose.ts');
  flushCompileCache();
  const { loadServices } = await import('#app/compose/services.ts');
  await loadServices(services);
  flushCompileCache();
  return compose;
}
