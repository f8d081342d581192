import { areNear, tellingHalves } from '#src/domain/documents/near-copies.ts';
import { createHash } from 'node:crypto';
import type { Split } from '#src/contracts/experiments/dataset.ts';
import { AppError } from '#src/domain/app-error.ts';

export interface SplitItem {
  readonly documentId: string;
  readonly sha256: string | null;
  /** 16 hex digits; null for a document without a picture. */
  readonly blockHash: string | null;
  /** Chosen by somebody. */
  readonly split?: Split;
  /** Split in the version before. */
  readonly kept?: Split;
}

/**
 * Assigns every document to `dev` or `holdout`. Copies are one group and stay together: documents with the same digest, or whose block
 * hashes differ in at most 6 of 64 bits, also by way of other documents. A chosen split holds for its whole group. Other groups are
 * ordered by a hash of seed and ids and fill `dev` up to `share` of the documents. Neither split is empty if there are two groups, as long
 * as choices leave one free. The same items in any order get the same splits. Error: `dataset.split_conflict` for a group with two choices.
 */
export function assignSplits(items: readonly SplitItem[], seed: string, share = 0.6): ReadonlyMap<string, Split> {
  const groups = groupsOf(items).map((members) => ({ members, chosen: chosenSplit(members) }));
  const sizeOf = (split: Split): number =>
    groups.reduce((sum, { members, chosen }) => sum + (chosen === split ? members.length : 0), 0);
  const free = groups
    .filter(({ chosen }) => chosen === null)
    .map(({ members }) => ({ members, place: placeOf(members, seed) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1));
  const assigned = new Map<string, Split>();
  for (const { members, chosen } of groups)
    if (chosen !== null) for (const { documentId } of members) assigned.set(documentId, chosen);
  let dev = sizeOf('dev');
  let holdout = sizeOf('holdout');
  for (const [at, { members }] of free.entries()) {
    const isLast = at === free.length - 1;
    const fits = dev + members.length / 2 <= share * items.length;
    const needed = isLast && dev === 0 ? 'dev' : isLast && holdout === 0 && dev > 0 ? 'holdout' : null;
    const split: Split = needed ?? (fits ? 'dev' : 'holdout');
    if (split === 'dev') dev += members.length;
    else holdout += members.length;
    for (const { documentId } of members) assigned.set(documentId, split);
  }
  return assigned;
}

/** Place of a group in the order: the least hash of its members, so that the order of the items plays no role. */
function placeOf(members: readonly SplitItem[], seed: string): string {
  const places = members.map(({ documentId }) => createHash('sha256').update(`${seed}\n${documentId}`).digest('hex'));
  return places.toSorted()[0] ?? '';
}

/** A choice of now counts before the splits of earlier versions. Copies whose earlier splits differ leave the holdout. */
function chosenSplit(members: readonly SplitItem[]): Split | null {
  const dev = members.find(({ split }) => split === 'dev');
  const holdout = members.find(({ split }) => split === 'holdout');
  if (dev !== undefined && holdout !== undefined)
    throw new AppError(
      'dataset.split_conflict',
      `Documents ${dev.documentId} and ${holdout.documentId} are copies of each other, or both of a third, but one is in dev and one in holdout. Give both the same split, or leave out one of them, or the third.`,
    );
  const kept = members.flatMap(({ kept: before }) => before ?? []);
  return (dev ?? holdout)?.split ?? (kept.includes('dev') ? 'dev' : (kept[0] ?? null));
}

/** Groups of copies, by union and find. */
function groupsOf(items: readonly SplitItem[]): SplitItem[][] {
  const parents = items.map((_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (parents[root] !== root) root = parents[root] = parents[parents[root] ?? root] ?? root;
    return root;
  };
  const join = (one: number, other: number): void => {
    parents[rootOf(other)] = rootOf(one);
  };
  const firsts = new Map<string, number>();
  for (const [at, { sha256 }] of items.entries()) {
    if (sha256 === null) continue;
    const first = firsts.get(sha256);
    if (first === undefined) firsts.set(sha256, at);
    else join(first, at);
  }
  const pictures = items.flatMap(({ blockHash }, at) => {
    const halves = tellingHalves(blockHash);
    return halves === null ? [] : [{ at, halves }];
  });
  for (const [index, one] of pictures.entries())
    for (const other of pictures.slice(index + 1)) if (areNear(one.halves, other.halves)) join(one.at, other.at);
  return [...Map.groupBy(items.keys(), rootOf).values()].map((members) => members.flatMap((at) => items[at] ?? []));
}
