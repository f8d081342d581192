import type { Db } from 'mongodb';
import type { OpenedDatabase } from '#scripts/cli/open-database.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { describeServer } from '#src/stores/connect.ts';
import type { CopyMark } from '#src/stores/copy-mark.ts';
import { readSchemaState } from '#src/stores/migrate.ts';
import { migrationHolder } from '#src/stores/migration-lease.ts';
import { findSearchIndexes, type VectorIndexOptions } from '#src/stores/search/definitions.ts';

async function schemaLine(db: Db): Promise<string> {
  const { stored, needs, current, pending } = await readSchemaState(db);
  if (stored === null || needs === null) return `none yet; this program makes ${current}`;
  if (needs > current) return `${stored}, newer than this program, which reads up to ${current}`;
  if (stored > current) return `${stored}, expanded by the next release; this program (${current}) may work beside it`;
  if (pending.length === 0) return `${stored}, nothing is pending`;
  return [`${stored}, pending up to ${current}:`, ...pending.map((title) => `            ${title}`)].join('\n');
}

async function leaseLine(db: Db): Promise<string> {
  const holder = await migrationHolder(db);
  return holder === null ? 'nobody migrates' : `process ${holder.pid} on ${holder.host} migrates, or died meanwhile`;
}

async function searchLine(db: Db, vectors: VectorIndexOptions): Promise<string> {
  const found = await findSearchIndexes(db, vectors);
  if (found === null) return 'not on this server: words are found by an ordinary index, and nothing by meaning';
  return found.map(({ name, state }) => `${name} ${state}`).join(', ');
}

async function copyLines(db: Db): Promise<string[]> {
  const mark = await db.collection<CopyMark>('meta').findOne({ _id: 'copy' });
  if (mark === null) return [];
  const { from, finishedAt } = mark;
  return [finishedAt === null ? `unfinished, of ${from}` : `whole, of ${from}, ${finishedAt.toISOString()}`];
}

/** Rows and bytes of each collection, by name. */
async function collectionLines(db: Db): Promise<string[]> {
  const stored = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = stored.map(({ name }) => name).toSorted();
  const width = Math.max(...names.map((name) => name.length), 0);
  const lines: string[] = [];
  for (const name of names) {
    const { count, size } = await db.command({ collStats: name });
    lines.push(`  ${name.padEnd(width)} ${String(count).padStart(10)} rows ${String(size).padStart(14)} bytes`);
  }
  return lines;
}

/** Writes versions, the lease of migrations, the search and the collections of a database. */
export async function showStatus(
  { database: { db }, name }: OpenedDatabase,
  vectors: VectorIndexOptions,
  { out }: Pick<Terminal, 'out'>,
): Promise<void> {
  const { version, kind } = await describeServer(db);
  out(`database    ${name}, MongoDB ${version} (${kind})\n`);
  out(`schema      ${await schemaLine(db)}\n`);
  out(`migration   ${await leaseLine(db)}\n`);
  out(`search      ${await searchLine(db, vectors)}\n`);
  for (const line of await copyLines(db)) out(`copy        ${line}\n`);
  const lines = await collectionLines(db);
  out(`collections ${lines.length}\n${lines.map((line) => `${line}\n`).join('')}`);
}
