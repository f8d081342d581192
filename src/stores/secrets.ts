import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { Collections, SecretRow } from '#src/stores/collections.ts';
import { isSecretHost } from '#src/domain/access/secret-hosts.ts';
import { AppError } from '#src/domain/app-error.ts';

/** A secret without its value. `hosts`: where it may be sent; secrets of older versions go nowhere. */
export type SecretInfo = Pick<SecretRow, 'name' | 'createdAt' | 'createdBy'> & { readonly hosts: readonly string[] };

/** A secret for one call of a node. */
export interface RevealedSecret {
  readonly value: string;
  readonly hosts: readonly string[];
}

/** Keys of 32 bytes. `current` seals; `previous` only open, until `rotate` has sealed everything anew. */
export interface SecretKeys {
  readonly current: Buffer;
  readonly previous: readonly Buffer[];
}

type Place = Pick<SecretRow, 'organizationId' | 'projectId' | 'name'>;
type Bound = Place & Pick<SecretRow, 'hosts'>;

const maxBytes = 8 * 1024;
const maxHosts = 20;

/** Binds the sealed value to its name, project and hosts: with another one of these, it does not decrypt. */
const boundTo = ({ organizationId, projectId, name, hosts }: Bound): Buffer =>
  Buffer.from(JSON.stringify([organizationId, projectId, name, ...(hosts === undefined ? [] : [hosts])]));

/** Name of a key, which reveals nothing about it. */
const idOf = (key: Buffer): string =>
  createHmac('sha256', key).update('inkgraph secrets key').digest('hex').slice(0, 16);

function seal(key: Buffer, place: Bound, value: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(place));
  const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

function openWith(key: Buffer, row: SecretRow): string {
  const sealed = Buffer.from(row.sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(boundTo(row)).setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
}

/** Tries each key: rows of older versions do not name theirs, and GCM tells the right one. Error: `secret.unknown`. */
function open({ current, previous }: SecretKeys, row: SecretRow): string {
  let cause: unknown;
  for (const key of [current, ...previous]) {
    try {
      return openWith(key, row);
    } catch (error) {
      cause = error;
    }
  }
  const detail = `Secret ${row.name} was encrypted with another SECRETS_KEY. Set the secret again, or add the old key to SECRETS_KEY_PREVIOUS.`;
  throw new AppError('secret.unknown', detail, { cause });
}

const invalid = (field: string, message: string): AppError =>
  new AppError('request.invalid', `${field}: ${message}.`, {
    errors: [{ pointer: `/${field}`, code: 'invalid', message }],
  });

function checked(name: string, value: string): void {
  if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(name))
    throw invalid('name', 'use at most 64 characters of A-Z, 0-9 and _, and start with a letter');
  if (value === '' || Buffer.byteLength(value) > maxBytes) throw invalid('value', `must have 1 to ${maxBytes} bytes`);
}

/** Hosts without repetitions, in order. Error: `request.invalid`. */
function checkedHosts(hosts: readonly string[]): string[] {
  const wrong = hosts.find((line) => !isSecretHost(line));
  if (wrong !== undefined)
    throw invalid(
      'hosts',
      `"${wrong.slice(0, 100)}" is no host: use api.example.org, *.example.org, api.example.org:8443 or http://127.0.0.1:9000`,
    );
  if (hosts.length === 0 || hosts.length > maxHosts) throw invalid('hosts', `name 1 to ${maxHosts} hosts`);
  return [...new Set(hosts)].toSorted();
}

/** Result of one batch of `rotate`. */
export interface RotatedBatch {
  /** Secrets that the current key seals now, and did not before. */
  readonly resealed: number;
  /** `<project>/<name>` of secrets that no key opens. */
  readonly unopened: readonly string[];
  /** Place to go on at; null at the end. */
  readonly next: string | null;
}

/** Sealing under another key, for all organizations. */
function createRotation(
  { secrets }: Pick<Collections, 'secrets'>,
  { keys, currentId, sealed }: { keys: SecretKeys; currentId: string; sealed: (place: Bound, value: string) => object },
) {
  const page = (after: string, limit: number): Promise<SecretRow[]> =>
    secrets
      .find({ _id: { $gt: after } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  const nextOf = (rows: readonly SecretRow[], limit: number): string | null =>
    rows.length < limit ? null : (rows.at(-1)?._id ?? null);
  return {
    /**
     * Seals up to `limit` secrets anew that another key sealed, each in one atomic write, so that a process may die at any point. A secret
     * that is set meanwhile keeps its new value.
     */
    async rotate(after: string, limit: number): Promise<RotatedBatch> {
      const rows = await page(after, limit);
      let resealed = 0;
      const unopened: string[] = [];
      for (const row of rows) {
        if (row.sealedBy === currentId) continue;
        const { _id, organizationId } = row;
        let value: string;
        try {
          value = open(keys, row);
        } catch {
          unopened.push(_id);
          continue;
        }
        const update = { $set: sealed(row, value) };
        resealed += (await secrets.updateOne({ _id, organizationId, sealed: row.sealed }, update)).modifiedCount;
      }
      return { resealed, unopened, next: nextOf(rows, limit) };
    },
    /** `<project>/<name>` of secrets of one page that another key sealed. */
    async sealedElsewhere(after: string, limit: number): Promise<{ names: readonly string[]; next: string | null }> {
      const rows = await page(after, limit);
      const names = rows.filter(({ sealedBy }) => sealedBy !== currentId).map(({ _id }) => _id);
      return { names, next: nextOf(rows, limit) };
    },
  };
}

const infoOf = ({ name, createdAt, createdBy, hosts = [] }: SecretRow): SecretInfo => ({
  name,
  createdAt,
  createdBy,
  hosts,
});

export function createSecretStore({ secrets }: Pick<Collections, 'secrets'>, keys: SecretKeys) {
  const currentId = idOf(keys.current);
  const sealed = (place: Bound, value: string): Pick<SecretRow, 'sealed' | 'sealedBy'> => ({
    sealed: seal(keys.current, place, value),
    sealedBy: currentId,
  });
  return {
    ...createRotation({ secrets }, { keys, currentId, sealed }),
    /** Adds or replaces a secret. */
    async set(
      { organizationId, projectId }: { organizationId: string; projectId: string },
      name: string,
      { value, hosts: given }: RevealedSecret,
      by: string,
    ): Promise<void> {
      checked(name, value);
      const hosts = checkedHosts(given);
      const _id = `${projectId}/${name}`;
      const place = { organizationId, projectId, name, hosts };
      const row = { ...place, ...sealed(place, value), createdAt: new Date(), createdBy: by };
      await secrets.replaceOne({ _id, organizationId }, row, { upsert: true });
    },
    /**
     * Replaces the hosts of a secret, which keeps its value: for the operator, who has the key. Through the API the value must be sent
     * again, or an admin could read it at a host of their own. Errors: `request.invalid`, `secret.not_found`, `secret.unknown`.
     */
    async bind(organizationId: string, projectId: string, name: string, given: readonly string[]): Promise<void> {
      const hosts = checkedHosts(given);
      const _id = `${projectId}/${name}`;
      const row = await secrets.findOne({ _id, organizationId });
      const place = { organizationId, projectId, name, hosts };
      const update = row === null ? null : { hosts, ...sealed(place, open(keys, row)) };
      if (
        row === null ||
        update === null ||
        (await secrets.updateOne({ _id, organizationId, sealed: row.sealed }, { $set: update })).matchedCount === 0
      )
        throw new AppError('secret.not_found', `The project has no secret ${name}. Set it first.`);
    },
    async list(organizationId: string, projectId: string): Promise<readonly SecretInfo[]> {
      const rows = await secrets.find({ organizationId, projectId }).sort({ name: 1 }).limit(1_000).toArray();
      return rows.map(infoOf);
    },
    async delete(organizationId: string, projectId: string, name: string): Promise<boolean> {
      const { deletedCount } = await secrets.deleteOne({ _id: `${projectId}/${name}`, organizationId });
      return deletedCount === 1;
    },
    /** Values and hosts by name. Omits unknown names. */
    async reveal(
      organizationId: string,
      projectId: string,
      names: readonly string[],
    ): Promise<ReadonlyMap<string, RevealedSecret>> {
      if (names.length === 0) return new Map();
      const ids = names.map((name) => `${projectId}/${name}`);
      const rows = await secrets.find({ _id: { $in: ids }, organizationId, projectId }).toArray();
      return new Map(rows.map((row) => [row.name, { value: open(keys, row), hosts: row.hosts ?? [] }]));
    },
  };
}

/**
 * Project secrets, encrypted at rest (AES-256-GCM), each bound to hosts. Names: `[A-Z][A-Z0-9_]{0,63}`. Only nodes of runs read values.
 * Source: docs/decisions/0031, docs/decisions/0089.
 */
export type SecretStore = ReturnType<typeof createSecretStore>;
