import { randomUUID } from 'node:crypto';
import { connectDatabase, describeServer, type Database } from '#src/stores/connect.ts';
import { createReaders, vectorsOf } from '#app/compose/models.ts';
import { findSearchIndexes } from '#src/stores/search/definitions.ts';
import type { Config } from '#src/config/config.ts';
import type { Finding } from '#scripts/cli/finding.ts';

/** Difference of two clocks from which times in lists and logs confuse. Nothing rests on equal clocks. */
const mostSkewMs = 5_000;

async function serverFindings({ db }: Database): Promise<Finding[]> {
  const asked = Date.now();
  const { version, isTooOld, kind, localTime } = await describeServer(db);
  const skewMs = Math.abs(localTime.getTime() - (asked + Date.now()) / 2);
  return [
    isTooOld
      ? { ok: false, what: `MongoDB ${version} is too old`, fix: 'upgrade it to 8.0 or newer' }
      : { ok: true, what: `MongoDB ${version} (${kind}), database ${db.databaseName}` },
    skewMs <= mostSkewMs
      ? { ok: true, what: `clocks of MongoDB and of this machine agree to ${Math.round(skewMs)} ms` }
      : {
          ok: false,
          what: `the clock of MongoDB differs by ${Math.round(skewMs / 1_000)} s`,
          fix: 'let both machines use NTP',
        },
  ];
}

/** Tries what the product does: rights are not guessed from roles. */
async function rightsFinding({ db }: Database): Promise<Finding> {
  const name = 'doctor';
  const row = { _id: randomUUID() };
  try {
    const rows = db.collection<{ _id: string }>(name);
    await rows.insertOne(row);
    await rows.createIndex({ at: 1 });
    await rows.deleteOne(row);
    await rows.drop();
    return { ok: true, what: 'the user of MONGODB_URI may write, and make collections and indexes' };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, what: `MongoDB refuses: ${why}`, fix: `give the user readWrite on ${db.databaseName}` };
  }
}

async function searchFinding({ db }: Database, config: Config): Promise<Finding> {
  const fix = 'start the services, which make them; they are ready some minutes later';
  const found = await findSearchIndexes(db, vectorsOf(config, createReaders(config).models));
  if (found === null)
    return {
      ok: true,
      what: 'this MongoDB has no search: words are found by an ordinary index, and nothing by meaning',
      fix: 'use Atlas, or MongoDB with mongot',
    };
  const { quantization } = config.search;
  const of = (...states: string[]): string[] =>
    found.flatMap(({ name, state }) => (states.includes(state) ? [name] : []));
  const unready = of('missing', 'building');
  if (unready.length > 0) return { ok: false, what: `search indexes are not ready: ${unready.join(', ')}`, fix };
  const others = of('differs');
  if (others.length > 0)
    return {
      ok: false,
      what: `search indexes are not as the settings want them (VECTOR_QUANTIZATION=${quantization}): ${others.join(', ')}`,
      fix: 'start the services, which change them; they are rebuilt meanwhile',
    };
  return { ok: true, what: `search indexes are ready${quantization === 'none' ? '' : `, vectors ${quantization}`}` };
}

function embeddedFindings({ search }: Config): readonly Finding[] {
  if (search.quantization === 'none') return [];
  const what = `VECTOR_QUANTIZATION=${search.quantization} has no effect: the embedded database compares whole vectors`;
  return [{ ok: true, what, fix: 'nothing to do; it counts on Atlas, by MONGODB_URI' }];
}

/** Findings about the database. */
export async function databaseFindings(config: Config): Promise<readonly Finding[]> {
  const { mongodbUri, installationSecret } = config;
  if (mongodbUri === null) return embeddedFindings(config);
  const database = connectDatabase(mongodbUri);
  try {
    const found = [
      ...(await serverFindings(database)),
      await rightsFinding(database),
      await searchFinding(database, config),
    ];
    if (installationSecret !== null) return found;
    const what = 'INSTALLATION_SECRET is not set: processes with another DATA_DIR do not accept each other’s sessions';
    return [
      ...found,
      { ok: true, what, fix: 'nothing to do on one machine; else set it to the same 32 bytes everywhere' },
    ];
  } catch (error) {
    // The driver's message names hosts, never credentials.
    const why = error instanceof Error ? error.message : String(error);
    return [
      { ok: false, what: `MongoDB does not respond (${why})`, fix: 'check MONGODB_URI, and that the server runs' },
    ];
  } finally {
    await database.close();
  }
}
