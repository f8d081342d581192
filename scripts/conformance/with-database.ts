const shape = /^(?<hosts>mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/(?<name>[^?]*))?(?:\?(?<options>.*))?$/;

/** The connection string with another database. Who signs in where stays the same. Source: MongoDB's connection string specification. */
export function withDatabase(uri: string, database: string): string {
  const { hosts = '', name = '', options = '' } = shape.exec(uri)?.groups ?? {};
  const query = new URLSearchParams(options);
  const hasAuthSource = [...query.keys()].some((key) => key.toLowerCase() === 'authsource');
  // Without it, the driver looks for the user in the database of the path.
  if (hosts.includes('@') && !hasAuthSource) query.set('authSource', name === '' ? 'admin' : decodeURIComponent(name));
  return `${hosts}/${encodeURIComponent(database)}${query.size === 0 ? '' : `?${query.toString()}`}`;
}
