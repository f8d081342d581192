import { exit } from 'node:process';
import { loadConfig } from '#src/config/config.ts';

/** The health check of the container image: exits with 0 when the first service of this container responds. */
const { host, ports, services } = loadConfig(process.env);
const [service = 'api'] = services;
const isAny = host === '0.0.0.0' || host === '::';
const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
const isAlive = await fetch(`http://${name}:${ports[service]}/livez`, { signal: AbortSignal.timeout(2_000) }).then(
  ({ ok }) => ok,
  () => false,
);
exit(isAlive ? 0 : 1);
