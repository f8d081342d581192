/** A Redis server, as its `INFO` says. */
export interface RedisServer {
  readonly version: string;
  /** `maxmemory-policy`; null: the server does not tell. */
  readonly policy: string | null;
}

/** Reads the answer to `INFO`, which managed servers give even where they refuse `CONFIG`. */
export function describeServer(info: string): RedisServer {
  const field = (name: string): string | null => new RegExp(`^${name}:(.*?)\\s*$`, 'm').exec(info)?.[1] ?? null;
  return {
    version: field('valkey_version') ?? field('redis_version') ?? 'unknown',
    policy: field('maxmemory_policy'),
  };
}

/** True for a server that lacks GETDEL. An unknown version is tried. */
export function isTooOld({ version }: RedisServer): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return Number.isInteger(major) && (major < 6 || (major === 6 && minor < 2));
}
