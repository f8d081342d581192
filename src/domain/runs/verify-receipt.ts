import { canonicalHash } from '#src/domain/canonical-json.ts';
import { receiptOf, receiptSteps } from '#src/domain/runs/receipt.ts';
import type { RunReceipt } from '#src/domain/runs/run.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

/** A value of a receipt that does not follow from what is stored. `at` is its path in the receipt. */
export interface ReceiptDifference {
  readonly at: string;
  readonly receipt: unknown;
  readonly computed: unknown;
}

/** Stored records of a run. null: removed with the document, so that they cannot be compared. */
export interface ReceiptEvidence {
  readonly head: Omit<RunReceipt['head'], 'evidence'>;
  readonly steps: readonly StepRecord[];
  readonly outputs: Readonly<Record<string, unknown>> | null;
  readonly isDocumentGone: boolean;
}

export interface VerifiedReceipt {
  readonly isValid: boolean;
  readonly differences: readonly ReceiptDifference[];
  /** Parts that are not stored any more. */
  readonly unchecked: readonly ('document' | 'outputs')[];
  readonly steps: number;
}

const mostDifferences = 50;

const plain = (value: unknown): unknown => (value === undefined ? null : value);

function* differing(at: string, receipt: object, computed: object): Generator<ReceiptDifference> {
  const other = computed as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(receipt))
    if (canonicalHash(plain(value)) !== canonicalHash(plain(other[name])))
      yield { at: `${at}${name}`, receipt: value, computed: plain(other[name]) };
}

/** Steps in the order of the receipt, which is that of their ends; those of parallel nodes can have ended at the same time. */
function inOrderOf(receipt: RunReceipt, steps: readonly StepRecord[]): StepRecord[] {
  const places = new Map(receipt.steps.map(({ path, attempt }, at) => [`${path} ${attempt}`, at]));
  const placeOf = ({ nodeId, attempt }: StepRecord): number => places.get(`${nodeId} ${attempt}`) ?? Infinity;
  const endOf = ({ finishedAt, startedAt }: StepRecord): number => (finishedAt ?? startedAt).getTime();
  return steps.toSorted((a, b) => {
    const [one, other] = [placeOf(a), placeOf(b)];
    return one === other ? endOf(a) - endOf(b) : one < other ? -1 : 1;
  });
}

/**
 * Checks the hash chain of a receipt: from its own values, and against a receipt computed from the stored steps and outputs. Source:
 * `run.receipt.verify`, docs/decisions/0174.
 */
export function verifyReceipt(receipt: RunReceipt, evidence: ReceiptEvidence): VerifiedReceipt {
  const { head, steps, outputs, isDocumentGone } = evidence;
  const { evidence: proof, ...ownHead } = receipt.head;
  const isOutputGone = outputs === null && receipt.outputsDigest !== null;
  const storedHead = isDocumentGone ? { ...head, documentSha256: ownHead.documentSha256 } : head;
  const computed = receiptOf(
    { ...storedHead, ...(proof !== undefined && { evidence: proof }) },
    receiptSteps(inOrderOf(receipt, steps)),
    outputs,
  );
  const found = [
    ...differing('head.', ownHead, storedHead),
    ...receipt.steps.flatMap((step, at) => [...differing(`steps.${at}.`, step, computed.steps[at] ?? {})]),
    ...(computed.steps.length === receipt.steps.length
      ? []
      : [{ at: 'steps.length', receipt: receipt.steps.length, computed: computed.steps.length }]),
    ...differing(
      '',
      { stepsLeftOut: receipt.stepsLeftOut, ...(!isOutputGone && { outputsDigest: receipt.outputsDigest }) },
      computed,
    ),
    ...chainOf(receipt),
    ...(isOutputGone ? [] : differing('', { hash: receipt.hash }, computed)),
  ];
  // The chain and the comparison can find the same hash.
  const differences = [...new Map(found.map((one) => [one.at, one])).values()];
  return {
    isValid: differences.length === 0,
    differences: differences.slice(0, mostDifferences),
    unchecked: [...(isDocumentGone ? (['document'] as const) : []), ...(isOutputGone ? (['outputs'] as const) : [])],
    steps: receipt.steps.length + receipt.stepsLeftOut,
  };
}

/** Hashes that do not follow from the values of the receipt itself, where it lists all steps. */
function chainOf(receipt: RunReceipt): ReceiptDifference[] {
  const { head, steps, stepsLeftOut, outputsDigest } = receipt;
  let previous = canonicalHash(head);
  for (const [at, { hash, ...step }] of steps.entries()) {
    const computed = canonicalHash({ previous, step });
    if (computed !== hash) return [{ at: `steps.${at}.hash`, receipt: hash, computed }];
    previous = hash;
  }
  if (stepsLeftOut > 0) return [];
  const computed = canonicalHash({ previous, outputsDigest, stepsLeftOut });
  return computed === receipt.hash ? [] : [{ at: 'hash', receipt: receipt.hash, computed }];
}
