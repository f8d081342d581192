/** Floats that one turn of the kernel's loop takes: rows are padded with zeros to a multiple of it. */
export const LANE_FLOATS = 16;
export const PAGE = 65_536;
/** The first page holds the query (up to 8,192 floats), then a batch of slot numbers and what the scan found for them. */
export const BATCH = 4096;
export const SLOTS_AT = PAGE / 2;
export const VALUES_AT = SLOTS_AT + BATCH * 4;

/** Numbers that one turn takes of rows of bytes, which are met by a query of 16 bits a number. */
export const LANE_BYTES = 32;

/** From the page after the first on, rows of `stride` bytes. For a batch of `bytes` / 4 slots each row meets the query (an address). */
type Scan = (query: number, stride: number, bytes: number) => void;

export interface Kernel {
  memory: Memory;
  /** The scalar product of the query and each row. */
  dot: Scan;
  /** The square of their distance. */
  distance: Scan;
  /** The scalar product where rows are bytes and the query is of 16 bits a number: integers, which the caller keeps below 2^31. */
  dotBytes: Scan;
}

/** Growing, by pages, replaces `buffer`. */
interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Declares the parts of WebAssembly that are used: TypeScript has it among the browser's types only. */
interface Wasm {
  Memory: new (size: { initial: number; maximum: number }) => Memory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: Omit<Kernel, 'memory'> };
}

const { WebAssembly } = globalThis as unknown as { WebAssembly: Wasm };
/** 4 GiB, all that 32-bit addresses reach. */
const MAX_PAGES = 65_536;

const [I32, V128] = [0x7f, 0x7b];
// The functions' variables: three parameters, the place in the batch, addresses in the row and the query, four sums, a difference.
const [QUERY, STRIDE, BYTES, ITEM, ROW, AT, SUM, DIFFERENCE] = [0, 1, 2, 3, 4, 5, 6, 10];
const LANES = [0, 1, 2, 3];

const get = (variable: number): number[] => [0x20, variable];
const set = (variable: number): number[] => [0x21, variable];
const tee = (variable: number): number[] => [0x22, variable];
/** Up to 127: the second byte keeps the sign positive. */
const int = (value: number): number[] => [0x41, value | 128, 0];
const [ADD, TIMES, LESS, ADD_FLOATS] = [0x6a, 0x6c, 0x49, 0x92];
const [LOOP, AGAIN_IF, END] = [[0x03, 0x40], [0x0d, 0], 0x0b];
const loadInt = (offset: number): number[] => [0x28, 2, ...leb(offset)];
const storeFloat = (offset: number): number[] => [0x38, 2, ...leb(offset)];
const storeInt = (offset: number): number[] => [0x36, 2, ...leb(offset)];
// Four floats or eight numbers of 16 bits at once, behind the SIMD prefix; or eight bytes, each made one of 16 bits.
const load16Bytes = (offset: number): number[] => [0xfd, 0, 0, ...leb(offset)];
const widen8Bytes = (offset: number): number[] => [0xfd, 1, 0, ...leb(offset)];
const floatLane = (at: number): number[] => [0xfd, 31, at];
const intLane = (at: number): number[] => [0xfd, 27, at];
const ZERO4 = [0xfd, 12, ...new Uint8Array(16)];
const [ADD4, SUBTRACT4, TIMES4] = [
  [0xfd, 0xe4, 1],
  [0xfd, 0xe5, 1],
  [0xfd, 0xe6, 1],
];
const SQUARED_DIFFERENCE = [SUBTRACT4, tee(DIFFERENCE), get(DIFFERENCE), TIMES4].flat();
/** Multiplies eight pairs, adds neighbours, and adds the four sums. */
const [DOT8, ADD4_INTS] = [
  [0xfd, 0xba, 1],
  [0xfd, 0xae, 1],
];

/** Numbers of a row and of the query, by their size in a turn of the loop. */
interface Form {
  /** Bytes that one of the four sums takes of the row in a turn; of the query it takes 16. */
  rowBytes: number;
  load: (offset: number) => number[];
  /** Turns numbers of the row and of the query into what is summed. */
  combine: readonly number[];
  add: readonly number[];
  lane: (at: number) => number[];
  addLanes: number;
  store: (offset: number) => number[];
}

const FLOATS = { rowBytes: 16, load: load16Bytes, add: ADD4, lane: floatLane, addLanes: ADD_FLOATS, store: storeFloat };
const FORMS: readonly Form[] = [
  { ...FLOATS, combine: TIMES4 },
  { ...FLOATS, combine: SQUARED_DIFFERENCE },
  { rowBytes: 8, load: widen8Bytes, combine: DOT8, add: ADD4_INTS, lane: intLane, addLanes: ADD, store: storeInt },
];

function scan({ rowBytes, load, combine, add, lane, addLanes, store }: Form): number[] {
  const rest = Array.from({ length: 16 / rowBytes - 1 }, () => [get(STRIDE), ADD]);
  return [
    [LOOP, get(ITEM), loadInt(SLOTS_AT), get(STRIDE), TIMES, set(ROW), get(QUERY), set(AT)],
    LANES.map((at) => [ZERO4, set(SUM + at)]),
    [LOOP],
    LANES.map((at) => [
      get(SUM + at),
      get(ROW),
      load(PAGE + at * rowBytes),
      get(AT),
      load16Bytes(at * 16),
      combine,
      add,
      set(SUM + at),
    ]),
    [get(ROW), int(rowBytes * 4), ADD, set(ROW), get(AT), int(64), ADD, tee(AT)],
    // The query is as long as a row, or twice as long where that is of bytes.
    [get(QUERY), get(STRIDE), ADD, rest, LESS, AGAIN_IF, END, get(ITEM)],
    [get(SUM), get(SUM + 1), add, get(SUM + 2), get(SUM + 3), add, add, set(SUM)],
    [LANES.map((at) => [get(SUM), lane(at)]), addLanes, addLanes, addLanes, store(VALUES_AT)],
    [get(ITEM), int(4), ADD, tee(ITEM), get(BYTES), LESS, AGAIN_IF, END, END],
  ].flat(Infinity) as number[];
}

/**
 * Compiles the scans of vectors with SIMD, several times faster than a loop in JavaScript: a WebAssembly module of three
 * functions, put together here so that no compiler is needed. Four sums run side by side and hide the additions' latency.
 * Each call of the result starts it on a memory of its own.
 */
export function compileKernel(): () => Kernel {
  const locals = [2, 3, I32, 5, V128];
  const functions = FORMS.map((form) => sized([...locals, ...scan(form)]));
  const sections = [
    [1, sized([1, 0x60, 3, I32, I32, I32, 0])],
    [2, sized([1, ...text('host'), ...text('memory'), 2, 0, 1])],
    [3, sized([3, 0, 0, 0])],
    [7, sized([3, ...text('dot'), 0, 0, ...text('distance'), 0, 1, ...text('dotBytes'), 0, 2])],
    [10, sized([3, ...functions.flat()])],
  ].flat(2);
  const module = new WebAssembly.Module(new Uint8Array([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections]));
  return () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES });
    return { memory, ...new WebAssembly.Instance(module, { host: { memory } }).exports };
  };
}

function sized(bytes: readonly number[]): number[] {
  return [...leb(bytes.length), ...bytes];
}

function text(name: string): number[] {
  return sized([...Buffer.from(name)]);
}

/** WebAssembly's way to write numbers: seven bits a byte, lowest first, the top bit on all but the last. */
function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)];
}
