import { createHash, createHmac, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { SessionHolder } from '#http/mcp/session-holder.ts';

/** Part of `initialize` that the server goes by later. */
export interface Hello {
  /** Revision that the client asked for. */
  readonly protocolVersion: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** Content of a session id. */
export interface IssuedSession {
  /** Name of the session in the store. */
  readonly name: string;
  readonly openedAt: number;
  readonly hello: Hello;
}

const format = 1;
const nameBytes = 16;
const revisionBytes = 10;
const markBytes = 4;
const signatureBytes = 16;
/** Offsets: format, time of opening, name, capabilities, revision, marks of rights, signature. */
const nameAt = 1 + 6;
const capabilitiesAt = nameAt + nameBytes;
const revisionAt = capabilitiesAt + 1;
const marksAt = revisionAt + revisionBytes;
const shortest = marksAt + signatureBytes;
/** Rights that an id names one by one. Of more, it names all together. */
const mostRights = 64;
const longestId = Math.ceil(((shortest + 2 * mostRights * markBytes) * 4) / 3);

/** Capabilities of clients that the server reads. An id carries no others, which may be large. */
const known = [['elicitation'], ['elicitation', 'form'], ['elicitation', 'url']] as const;
/** A revision that no server knows: it gets the newest of the older ones, as at first. */
const unknownRevision = '0000-00-00';

const objectAt = (value: unknown, path: readonly string[]): boolean => {
  let at = value;
  for (const name of path) at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : null;
  return typeof at === 'object' && at !== null;
};

const bitsOf = (capabilities: unknown): number =>
  known.reduce((bits, path, at) => bits | (objectAt(capabilities, path) ? 1 << at : 0), 0);

function capabilitiesOf(bits: number): Hello['capabilities'] {
  const [asks, form, url] = known.map((_, at) => (bits & (1 << at)) !== 0);
  return asks === true ? { elicitation: { ...(form === true && { form: {} }), ...(url === true && { url: {} }) } } : {};
}

const nameIn = (payload: Buffer): string => payload.toString('base64url', nameAt, capabilitiesAt);

const markOf = (kind: string, text: string): string =>
  createHash('sha256')
    .update(`${kind} ${text}`)
    .digest('hex')
    .slice(0, 2 * markBytes);

const allOf = (kind: string, names: readonly string[]): string => markOf(`all ${kind}`, names.toSorted().join('\n'));

/** Marks that stand in an id. */
const marksOf = (kind: string, names: readonly string[]): readonly string[] =>
  names.length > mostRights ? [allOf(kind, names)] : names.map((name) => markOf(kind, name));

/** Marks that these rights cover: each right, and all together. */
const coveredBy = (kind: string, names: readonly string[]): readonly string[] => [
  ...names.map((name) => markOf(kind, name)),
  allOf(kind, names),
];

/**
 * Session ids that any process of the installation can read: signed for one holder, with the revision and capabilities of its client, and the
 * rights that it had. They open nothing without the holder's credential. Source: docs/decisions/0265.
 */
export class SessionIds {
  readonly #key: KeyObject;

  /** `key`: the same in all processes of the installation, and after a restart. */
  constructor(key: KeyObject) {
    this.#key = key;
  }

  issue(holder: SessionHolder, hello: Hello): IssuedSession & { readonly id: string } {
    const { protocolVersion, capabilities } = hello;
    const openedAt = Date.now();
    const head = Buffer.alloc(marksAt);
    head.writeUInt8(format);
    head.writeUIntBE(openedAt, 1, nameAt - 1);
    randomBytes(nameBytes).copy(head, nameAt);
    head.writeUInt8(bitsOf(capabilities), capabilitiesAt);
    head.write(/^[\d-]{10}$/.test(protocolVersion) ? protocolVersion : unknownRevision, revisionAt, 'ascii');
    const marks = [...marksOf('project', holder.projectIds), ...marksOf('scope', [...holder.scopes])];
    const payload = Buffer.concat([head, Buffer.from(marks.join(''), 'hex')]);
    const id = Buffer.concat([payload, this.#sign(payload, holder)]).toString('base64url');
    return { id, name: nameIn(payload), openedAt, hello };
  }

  /** Returns null for an id that is not of this installation and holder, or whose holder had more rights than now. */
  open(id: string, holder: SessionHolder): IssuedSession | null {
    if (id.length > longestId) return null;
    const bytes = Buffer.from(id, 'base64url');
    // One session has one id: texts that decode to the same bytes are refused.
    if (bytes.length < shortest || bytes.toString('base64url') !== id) return null;
    const payload = bytes.subarray(0, -signatureBytes);
    if (!timingSafeEqual(bytes.subarray(-signatureBytes), this.#sign(payload, holder))) return null;
    if (payload.readUInt8() !== format || !this.#covers(payload.subarray(marksAt), holder)) return null;
    return {
      name: nameIn(payload),
      openedAt: payload.readUIntBE(1, nameAt - 1),
      hello: {
        protocolVersion: payload.toString('ascii', revisionAt, marksAt),
        capabilities: capabilitiesOf(payload.readUInt8(capabilitiesAt)),
      },
    };
  }

  #covers(marks: Buffer, { projectIds, scopes }: SessionHolder): boolean {
    const covered = new Set([...coveredBy('project', projectIds), ...coveredBy('scope', [...scopes])]);
    const carried = marks.toString('hex').match(/.{8}/g) ?? [];
    return carried.every((mark) => covered.has(mark));
  }

  #sign(payload: Buffer, { name }: SessionHolder): Buffer {
    const holder = createHash('sha256').update(name).digest();
    return createHmac('sha256', this.#key).update(holder).update(payload).digest().subarray(0, signatureBytes);
  }
}
