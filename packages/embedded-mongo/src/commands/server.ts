import type { Document } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { MAX_DOCUMENT_SIZE } from '../storage/collection.ts';
import type { Work } from '../storage/work.ts';
import * as field from './fields.ts';
import { command } from './request.ts';

// Commands about the server itself: drivers' test harnesses send them, and mongosh when it connects.

const VERSION = '8.0.0';

/** Parameters that `getParameter` returns. */
const PARAMETERS: Document = {
  featureCompatibilityVersion: { version: '8.0' },
  authenticationMechanisms: ['PLAIN'],
  requireApiVersion: false,
};

export const buildInfo = command({
  run: () => ({
    version: VERSION,
    versionArray: [8, 0, 0, 0],
    gitVersion: 'inkgraph-embedded',
    modules: ['inkgraph-embedded'],
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_DOCUMENT_SIZE,
    ok: 1,
  }),
});

export { buildInfo as buildinfo };

export const connectionStatus = command({
  open: true,
  fields: { showPrivileges: field.flag },
  run: ({ connection }) => {
    const authenticatedUsers = connection.authenticated ? [{ user: 'inkgraph', db: '$external' }] : [];
    return { authInfo: { authenticatedUsers, authenticatedUserRoles: [] }, ok: 1 };
  },
});

export const whatsmyuri = command({ run: ({ connection }) => ({ you: connection.peer, ok: 1 }) });

export const getParameter = command({
  admin: true,
  fields: { allParameters: field.flag, '*': field.anything },
  run: ({ body }, given) => {
    const all = body['getParameter'] === '*' || given.allParameters === true;
    const known = Object.entries(PARAMETERS).filter(([name]) => all || Object.hasOwn(given, name));
    if (known.length === 0) throw new CommandError(72, 'no option found to get');
    return { ...Object.fromEntries(known), ok: 1 };
  },
});

/** Documents as MongoDB counts them; a section of our own for the work below. */
function workOf({ rows, entries, changes, bytes, commits, syncs }: Work): Document {
  return {
    metrics: { document: { ...rows } },
    sqlite: { entries: { ...entries }, changes, bytes, commits, syncs },
  };
}

/** Always returns the same sections: requests for others, or for fewer, change nothing. */
export const serverStatus = command({
  fields: { '*': field.anything },
  run: ({ service, engine }) => ({
    host: service.address,
    version: VERSION,
    process: 'inkgraph-embedded',
    pid: process.pid,
    uptime: process.uptime(),
    localTime: new Date(),
    connections: service.connections,
    mem: { bits: 64, resident: Math.round(process.memoryUsage.rss() / 2 ** 20) },
    storageEngine: { name: 'sqlite', persistent: true, supportsCommittedReads: true },
    ...workOf(engine.database.work),
    ok: 1,
  }),
});

export const getCmdLineOpts = command({
  admin: true,
  run: () => ({ argv: ['inkgraph-embedded'], parsed: {}, ok: 1 }),
});

/** There are no log lines to give. */
export const getLog = command({
  admin: true,
  run: ({ body: { getLog: wanted } }) => {
    const names = ['global', 'startupWarnings'];
    if (wanted === '*') return { names, ok: 1 };
    if (!names.includes(wanted as string)) throw new CommandError(96, `No log named '${String(wanted)}'`);
    return { totalLinesWritten: 0, log: [], ok: 1 };
  },
});
