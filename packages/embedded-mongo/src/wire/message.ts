const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;
const EXHAUST_ALLOWED = 0x1_0000;
/** Flag bits 0 to 15 must be understood by the receiver. */
const REQUIRED_FLAGS = 0xffff;

/** One request: its command document and the documents that came in kind-1 sections, by field name. */
export interface Message {
  requestId: number;
  legacy: boolean;
  /** The sender waits for no reply (an unacknowledged write). */
  silent: boolean;
  /** The sender takes several replies to this one message. */
  exhaustAllowed: boolean;
  body: Uint8Array;
  sequences: Map<string, Uint8Array[]>;
}

export function parseMessage(bytes: Buffer): Message {
  const requestId = bytes.readInt32LE(4);
  const opCode = bytes.readInt32LE(12);
  if (opCode === OP_MSG) return parseOpMsg(bytes, requestId);
  if (opCode === OP_QUERY) return parseOpQuery(bytes, requestId);
  throw new Error(`wire protocol operation ${opCode} is not supported`);
}

function parseOpMsg(bytes: Buffer, requestId: number): Message {
  const flags = bytes.readUInt32LE(16);
  if ((flags & REQUIRED_FLAGS & ~(CHECKSUM_PRESENT | MORE_TO_COME)) !== 0) throw new Error('unknown OP_MSG flag');
  const end = bytes.length - ((flags & CHECKSUM_PRESENT) === 0 ? 0 : 4);
  const sequences = new Map<string, Uint8Array[]>();
  let body: Uint8Array | undefined;
  let at = 20;
  while (at < end) {
    const kind = bytes[at++];
    const size = bytes.readInt32LE(at);
    const sectionEnd = at + size;
    if (size < 5 || sectionEnd > end) throw new Error('OP_MSG section out of bounds');
    if (kind === 0) {
      if (body) throw new Error('OP_MSG with two bodies');
      body = bytes.subarray(at, sectionEnd);
    } else if (kind === 1) {
      const nameEnd = bytes.indexOf(0, at + 4);
      if (nameEnd < 0 || nameEnd >= sectionEnd) throw new Error('OP_MSG document sequence without a name');
      const name = bytes.toString('utf8', at + 4, nameEnd);
      if (sequences.has(name)) throw new Error(`OP_MSG with two sequences named ${name}`);
      sequences.set(name, splitDocuments(bytes.subarray(nameEnd + 1, sectionEnd)));
    } else throw new Error(`OP_MSG section of kind ${kind}`);
    at = sectionEnd;
  }
  if (!body) throw new Error('OP_MSG without a body');
  const silent = (flags & MORE_TO_COME) !== 0;
  return { requestId, legacy: false, silent, exhaustAllowed: (flags & EXHAUST_ALLOWED) !== 0, body, sequences };
}

/** Only the handshake still comes this way. */
function parseOpQuery(bytes: Buffer, requestId: number): Message {
  const nameEnd = bytes.indexOf(0, 20);
  if (nameEnd < 0) throw new Error('malformed OP_QUERY');
  const [body] = splitDocuments(bytes.subarray(nameEnd + 9));
  if (!body) throw new Error('OP_QUERY without a document');
  return { requestId, legacy: true, silent: false, exhaustAllowed: false, body, sequences: new Map() };
}

function splitDocuments(bytes: Buffer): Uint8Array[] {
  const documents: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = at + 4 <= bytes.length ? bytes.readInt32LE(at) : 0;
    if (size < 5 || at + size > bytes.length) throw new Error('document out of bounds');
    documents.push(bytes.subarray(at, at + size));
    at += size;
  }
  return documents;
}

/** `more`: another reply to the same message follows. */
export function replyTo(request: Message, reply: Uint8Array, requestId: number, more: boolean): Buffer {
  if (request.legacy) return legacyReply(request.requestId, reply, requestId);
  return opMsg(reply, requestId, request.requestId, more ? MORE_TO_COME : 0);
}

function opMsg(body: Uint8Array, requestId: number, responseTo: number, flags: number): Buffer {
  const message = Buffer.allocUnsafe(21 + body.length);
  writeHeader(message, requestId, responseTo, OP_MSG);
  message.writeUInt32LE(flags, 16);
  message[20] = 0;
  message.set(body, 21);
  return message;
}

function legacyReply(responseTo: number, body: Uint8Array, requestId: number): Buffer {
  const message = Buffer.alloc(36 + body.length);
  writeHeader(message, requestId, responseTo, OP_REPLY);
  message.writeInt32LE(8, 16);
  message.writeInt32LE(1, 32);
  message.set(body, 36);
  return message;
}

function writeHeader(message: Buffer, requestId: number, responseTo: number, opCode: number): void {
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(requestId, 4);
  message.writeInt32LE(responseTo, 8);
  message.writeInt32LE(opCode, 12);
}
