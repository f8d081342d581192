import type { PageText } from '#src/domain/ports/image-codec.ts';

type Matrix = readonly [number, number, number, number, number, number];
type Survey = Pick<PageText, 'visible' | 'hidden' | 'annotated' | 'pictures' | 'isUncertain'>;
/** The operators of pdfjs-dist, name to number. */
type Operators = Readonly<Record<string, number>>;

interface Operations {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

interface State {
  readonly matrix: Matrix;
  readonly mode: number;
  readonly alpha: number;
}

/** A picture over so much of the page hides the text that was written before it. */
const wholePage = 0.8;
const smallestPicture = 0.002;
const mostPictures = 2_000;
/** Deepest nesting that is followed. */
const mostStates = 1_000;
/** Modes of text that fill or draw nothing: invisible, and a clip alone. */
const invisibleModes: ReadonlySet<number> = new Set([3, 7]);

/**
 * Counts the letters that a page shows, and finds its pictures, from the operations that draw it. `isUncertain`: it has parts that can be
 * switched off, or more than is followed.
 */
export function surveyOf(
  { fnArray, argsArray }: Operations,
  viewport: { readonly transform: readonly number[]; readonly width: number; readonly height: number },
  names: Operators,
): Survey {
  const page = new PageSurvey(viewport);
  const nameOf = new Map(Object.entries(names).map(([name, code]) => [code, name]));
  for (const [at, code] of fnArray.entries()) {
    const given = argsArray[at];
    page.follow(nameOf.get(code) ?? '', Array.isArray(given) || ArrayBuffer.isView(given) ? (given as unknown[]) : []);
  }
  return page.found();
}

class PageSurvey {
  readonly #stack: State[] = [];
  readonly #viewport: { readonly width: number; readonly height: number };
  readonly #pictures: [number, number, number, number][] = [];
  #state: State;
  #visible = 0;
  #hidden = 0;
  #annotated = 0;
  #annotations = 0;
  #isUncertain = false;

  constructor(viewport: { readonly transform: readonly number[]; readonly width: number; readonly height: number }) {
    this.#viewport = viewport;
    this.#state = { matrix: matrixOf(viewport.transform) ?? [1, 0, 0, 1, 0, 0], mode: 0, alpha: 1 };
  }

  found(): Survey {
    return {
      visible: this.#visible,
      hidden: this.#hidden,
      annotated: this.#annotated,
      pictures: this.#pictures,
      isUncertain: this.#isUncertain || this.#pictures.length >= mostPictures,
    };
  }

  follow(name: string, args: readonly unknown[]): void {
    if (name === 'save') this.#save();
    else if (name === 'restore' || name === 'paintFormXObjectEnd') this.#restore();
    else if (name === 'transform') this.#turn(args);
    else if (name === 'paintFormXObjectBegin') {
      this.#save();
      this.#turn(args[0]);
    } else if (name === 'beginAnnotation') this.#annotations += 1;
    else if (name === 'endAnnotation') this.#annotations -= 1;
    else if (name === 'setTextRenderingMode') this.#state = { ...this.#state, mode: Number(args[0]) };
    else if (name === 'setGState') this.#setGraphics(args[0]);
    else if (name === 'showText') this.#show(args[0]);
    else if (name === 'beginMarkedContentProps') this.#isUncertain ||= args[0] === 'OC';
    else if (name.startsWith('paint') && name.includes('Image')) this.#paint(name);
  }

  #save(): void {
    if (this.#stack.length < mostStates) this.#stack.push(this.#state);
    else this.#isUncertain = true;
  }

  #restore(): void {
    this.#state = this.#stack.pop() ?? this.#state;
  }

  #turn(given: unknown): void {
    const by = matrixOf(given);
    if (by !== null) this.#state = { ...this.#state, matrix: product(this.#state.matrix, by) };
  }

  #setGraphics(entries: unknown): void {
    if (!Array.isArray(entries)) return;
    const opacity = (entries as unknown[][]).find((entry) => Array.isArray(entry) && entry[0] === 'ca');
    if (opacity !== undefined) this.#state = { ...this.#state, alpha: Number(opacity[1]) };
  }

  #show(glyphs: unknown): void {
    if (!Array.isArray(glyphs)) return;
    const letters = glyphs.filter((one) => isLetter(one)).length;
    if (this.#annotations > 0) this.#annotated += letters;
    else if (invisibleModes.has(this.#state.mode) || this.#state.alpha < 0.1) this.#hidden += letters;
    else this.#visible += letters;
  }

  /** A picture fills the unit square. Those that are repeated or grouped have places of their own, so they count for the whole page. */
  #paint(name: string): void {
    const corners = name.endsWith('Repeat') || name.endsWith('Group') ? null : unitSquare(this.#state.matrix);
    const { width, height } = this.#viewport;
    const clip = (value: number): number => Math.min(1, Math.max(0, value));
    const xs = corners?.map(([x]) => clip(x / width)) ?? [0, 1];
    const ys = corners?.map(([, y]) => clip(y / height)) ?? [0, 1];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const [wide, high] = [Math.max(...xs) - left, Math.max(...ys) - top];
    if (wide * high < smallestPicture) return;
    if (this.#pictures.length < mostPictures) this.#pictures.push([left, top, wide, high]);
    if (wide * high < wholePage) return;
    this.#hidden += this.#visible;
    this.#visible = 0;
  }
}

function isLetter(glyph: unknown): boolean {
  if (typeof glyph !== 'object' || glyph === null) return false;
  return !('unicode' in glyph) || (typeof glyph.unicode === 'string' && glyph.unicode.trim() !== '');
}

function matrixOf(given: unknown): Matrix | null {
  if (!Array.isArray(given) && !ArrayBuffer.isView(given)) return null;
  const numbers = Array.from(given as ArrayLike<number>);
  return numbers.length === 6 && numbers.every(Number.isFinite) ? (numbers as unknown as Matrix) : null;
}

function product([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function unitSquare([a, b, c, d, e, f]: Matrix): [number, number][] {
  return [
    [e, f],
    [a + e, b + f],
    [c + e, d + f],
    [a + c + e, b + d + f],
  ];
}
