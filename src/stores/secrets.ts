import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Collections, SecretRow } from '#src/stores/collections.ts';
import { AppError } from '#src/domain/app-error.ts';

/** A secret without its value. */
export type SecretInfo = Pick<SecretRow, 'name' | 'createdAt' | 'createdBy'>;

type Place = Pick<SecretRow, 'organizationId' | 'projectId' | 'name'>;

const maxBytes = 8 * 1024;
/** Binds the sealed value to its name and project: moved to another place, it does not decrypt. */
const boundTo = ({ organizationId, projectId, name }: Place): Buffer =>
  Buffer.from(JSON.stringify([organizationId, projectId, name]));

function seal(key: Buffer, place: Place, value: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(place));
  const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

function open(key: Buffer, row: SecretRow): string {
  const sealed = Buffer.from(row.sealed, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(boundTo(row)).setAuthTag(sealed.subarray(12, 28));
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
  } catch (error) {
    const detail = `Secret ${row.name} was encrypted with another SECRETS_KEY. Set the secret again, or restore the old key.`;
    throw new AppError('secret.unknown', detail, { cause: error });
  }
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

/** `key`: 32 bytes. */
export function createSecretStore({ secrets }: Pick<Collections, 'secrets'>, key: Buffer) {
  return {
    /** Adds or replaces a secret. */
    async set(
      { organizationId, projectId }: { organizationId: string; projectId: string },
      name: string,
      value: string,
      by: string,
    ): Promise<void> {
      checked(name, value);
      const _id = `${projectId}/${name}`;
      const place = { organizationId, projectId, name };
      const row = { ...place, sealed: seal(key, place, value), createdAt: new Date(), createdBy: by };
      await secrets.replaceOne({ _id, organizationId }, row, { upsert: true });
    },
    list: (organizationId: string, projectId: string): Promise<readonly SecretInfo[]> =>
      secrets
        .find({ organizationId, projectId })
        .project<SecretInfo>({ _id: 0, name: 1, createdAt: 1, createdBy: 1 })
        .sort({ name: 1 })
        .limit(1_000)
        .toArray(),
    async delete(organizationId: string, projectId: string, name: string): Promise<boolean> {
      const { deletedCount } = await secrets.deleteOne({ _id: `${projectId}/${name}`, organizationId });
      return deletedCount === 1;
    },
    /** Values by name. Omits unknown names. */
    async reveal(
      organizationId: string,
      projectId: string,
      names: readonly string[],
    ): Promise<ReadonlyMap<string, string>> {
      if (names.length === 0) return new Map();
      const ids = names.map((name) => `${projectId}/${name}`);
      const rows = await secrets.find({ _id: { $in: ids }, organizationId, projectId }).toArray();
      return new Map(rows.map((row) => [row.name, open(key, row)]));
    },
  };
}

/**
 * Project secrets, encrypted at rest (AES-256-GCM). Names: `[A-Z][A-Z0-9_]{0,63}`. Only nodes of runs read values.
 * Source: docs/decisions/0031.
 */
export type SecretStore = ReturnType<typeof createSecretStore>;
