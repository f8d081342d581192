import { AppError } from '#src/domain/app-error.ts';

export type QuotaScope = 'organization' | 'project' | 'key';

/** Number of bytes and objects that are stored, or promised to uploads that are not acknowledged yet. */
export interface Stored {
  readonly bytes: number;
  readonly objects: number;
}

/** null: no limit. */
export interface Quota {
  readonly bytes: number | null;
  readonly objects: number | null;
}

export type Quotas = Readonly<Record<QuotaScope, Quota>>;

/** True when one more object of `bytes` bytes stays within the quota. */
export function fits(used: Stored, bytes: number, quota: Quota): boolean {
  return used.bytes + bytes <= (quota.bytes ?? Infinity) && used.objects + 1 <= (quota.objects ?? Infinity);
}

const owners: Readonly<Record<QuotaScope, string>> = {
  organization: 'organization',
  project: 'project',
  key: 'API key',
};

/** `upload.too_large` for an upload that is larger than the whole quota, else `quota.exceeded`. Figures are in `data.quota`. */
export function overQuota(
  scope: QuotaScope,
  { used, bytes, quota }: { used: Stored; bytes: number; quota: Quota },
): AppError {
  const data = {
    quota: {
      scope,
      bytes: { used: used.bytes, limit: quota.bytes },
      objects: { used: used.objects, limit: quota.objects },
    },
  };
  const owner = owners[scope];
  if (quota.bytes !== null && bytes > quota.bytes)
    return new AppError(
      'upload.too_large',
      `The file has ${bytes} bytes, and the quota of the ${owner} is ${quota.bytes} bytes. Upload a smaller file.`,
      { errors: [{ pointer: '/size', code: 'too_big', message: `at most ${quota.bytes}` }], data },
    );
  const full =
    quota.objects !== null && used.objects >= quota.objects
      ? `${used.objects} of ${quota.objects} objects`
      : `${used.bytes} of ${quota.bytes} bytes`;
  return new AppError(
    'quota.exceeded',
    `The ${owner} uses ${full}; uploads that are not acknowledged count for a day. Delete documents, or ask the operator for a larger quota.`,
    { data },
  );
}
