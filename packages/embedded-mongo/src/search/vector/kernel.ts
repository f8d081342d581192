/** Floats that one turn of the kernel's loop takes: rows are padded with zeros to a multiple of it. */
export const LANE_FLOATS = 16;
export const PAGE = 65_536;
/** The first page holds the query (up to 8,192 floats), then a batch of slot numbers and what the scan found for them. */
export const BATCH = 4096;
export const SLOTS_AT = PAGE / 2;
export const VALUES_AT = SLOTS_AT + BATCH * 4;

/** From the page after the first on, rows of `stride` bytes. For a batch of `bytes` / 4 slots each row meets the query (an address). */
type Scan = (query: number, stride: number, bytes: number) => void;

export interface Kernel {
  memory: Memory;
  /** The scalar product of the query and each row. */
  dot: Scan;
  /** The square of their distance. */
  distance: Scan;
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
  Instance: new (module: object, imports: object) => { exports: { dot: Scan; distance: Scan } };
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
// Four floats at once, behind the SIMD prefix.
const load4 = (offset: number): number[] => [0xfd, 0, 0, ...leb(offset)];
const lane = (at: number): number[] => [0xfd, 31, at];
const ZERO4 = [0xfd, 12, ...new Uint8Array(16)];
const [ADD4, SUBTRACT4, TIMES4] = [
  [0xfd, 0xe4, 1],
  [0xfd, 0xe5, 1],
  [0xfd, 0xe6, 1],
];
const SQUARED_DIFFERENCE = [SUBTRACT4, tee(DIFFERENCE), get(DIFFERENCE), TIMES4].flat();

/** One function; `combine` turns four floats of the row and four of the query into what is summed. */
function scan(combine: readonly number[]): number[] {
  return [
    [LOOP, get(ITEM), loadInt(SLOTS_AT), get(STRIDE), TIMES, set(ROW), get(QUERY), set(AT)],
    LANES.map((at) => [ZERO4, set(SUM + at)]),
    [LOOP],
    LANES.map((at) => [
      get(SUM + at),
      get(ROW),
      load4(PAGE + at * 16),
      get(AT),
      load4(at * 16),
      combine,
      ADD4,
      set(SUM + at),
    ]),
    [get(ROW), int(LANE_FLOATS * 4), ADD, set(ROW), get(AT), int(LANE_FLOATS * 4), ADD, tee(AT)],
    [get(QUERY), get(STRIDE), ADD, LESS, AGAIN_IF, END, get(ITEM)],
    [get(SUM), get(SUM + 1), ADD4, get(SUM + 2), get(SUM + 3), ADD4, ADD4, set(SUM)],
    [LANES.map((at) => [get(SUM), lane(at)]), ADD_FLOATS, ADD_FLOATS, ADD_FLOATS, storeFloat(VALUES_AT)],
    [get(ITEM), int(4), ADD, tee(ITEM), get(BYTES), LESS, AGAIN_IF, END, END],
  ].flat(Infinity) as number[];
}

/**
 * Compiles the scan of float32 vectors with SIMD, several times faster than a loop in JavaScript: a WebAssembly module of two
 * functions, put together here so that no compiler is needed. Four sums run side by side and hide the additions' latency.
 * Each call of the result starts it on a memory of its own.
 */
export function compileKernel(): () => Kernel {
  const locals = [2, 3, I32, 5, V128];
  const functions = [TIMES4, SQUARED_DIFFERENCE].map((combine) => sized([...locals, ...scan(combine)]));
  const sections = [
    [1, sized([1, 0x60, 3, I32, I32, I32, 0])],
    [2, sized([1, ...text('host'), ...text('memory'), 2, 0, 1])],
    [3, sized([2, 0, 0])],
    [7, sized([2, ...text('dot'), 0, 0, ...text('distance'), 0, 1])],
    [10, sized([2, ...functions.flat()])],
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
