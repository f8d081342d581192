import { sha256Hex } from '#src/domain/canonical-json.ts';
export function assignSplits(
  items: readonly { documentId: string; split?: 'dev' | 'holdout' }[],
  seed: string,
  share = 0.6,
): ReadonlyMap<string, 'dev' | 'holdout'> {
  return new Map(
    items.map(
      ({ documentId, split }) =>
        [
          documentId,
          split ??
            (Number.parseInt(sha256Hex(seed + documentId).slice(0, 8), 16) / 2 ** 32 < share ? 'dev' : 'holdout'),
        ] as const,
    ),
  );
}
