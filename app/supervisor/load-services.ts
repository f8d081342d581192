/** Loads the modules that `App.start` loads by need, while there is nothing else to do. */
export async function loadServices(services: readonly string[]): Promise<void> {
  await Promise.all([
    import('#app/compose/services.ts'),
    ...(services.includes('api') ? [import('#http/api/app.ts'), import('#app/compose/access/oauth.ts')] : []),
    ...(services.includes('mcp') ? [import('#http/mcp/app.ts'), import('#app/compose/access/mcp.ts')] : []),
  ]);
}
