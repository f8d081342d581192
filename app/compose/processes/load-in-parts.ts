import { flushCompileCache } from 'node:module';

type Part = () => Promise<unknown>;

/** In this order each part needs few modules that no part before it loads. The first three are mostly zod, the driver and Express. */
const parts: readonly Part[] = [
  () => import('#src/contracts/fields.ts'),
  () => import('#src/stores/connect.ts'),
  () => import('#http/base-app.ts'),
  () => import('#app/compose/stores.ts'),
  () => import('#graphs/catalog.ts'),
];
/** For services that answer requests. */
const requestParts: readonly Part[] = [() => import('#src/contracts/service.ts'), () => import('#tools/index.ts')];

/**
 * Loads the modules of a service process. Node keeps what it reads from the compile cache until it writes the cache: 12 MB for all modules,
 * in blocks between others that stay, so that the memory is not given back. Written after each part, the next one reads into the same
 * memory. Source: docs/decisions/0218.
 */
export async function loadInParts(services: readonly string[]) {
  const answers = services.includes('api') || services.includes('mcp');
  for (const load of [...parts, ...(answers ? requestParts : []), () => import('#app/compose/core.ts')]) {
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
