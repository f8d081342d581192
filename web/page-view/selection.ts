import type { TextLine, TextWord } from './words.ts';

/** Index of the word that the character `offset` of a line belongs to, where words are joined by one space. */
function wordOf({ words }: TextLine, offset: number): number {
  let end = 0;
  for (const [index, { text }] of words.entries()) {
    end += text.length + 1;
    if (offset < end) return index;
  }
  return Math.max(0, words.length - 1);
}

/** Words of a line on the page that a range has, as first and last index. The line is one piece of text. */
function partOf(line: TextLine, element: Element, range: Range): readonly [first: number, last: number] {
  const { startContainer, startOffset, endContainer, endOffset } = range;
  const isInside = (node: Node): boolean => node instanceof Text && element.contains(node);
  return [
    isInside(startContainer) ? wordOf(line, startOffset) : 0,
    isInside(endContainer) ? wordOf(line, Math.max(0, endOffset - 1)) : line.words.length - 1,
  ];
}

/** Words that a person has selected, on the page or in its text. Both mark their elements with `data-line` (and `data-word`). */
export function selectedWords(lines: readonly TextLine[]): readonly TextWord[] {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return [];
  const range = selection.getRangeAt(0);
  return [...document.querySelectorAll<HTMLElement | SVGElement>('[data-line]')].flatMap((element) => {
    const line = lines[Number(element.dataset['line'])];
    if (line === undefined || !range.intersectsNode(element)) return [];
    const { word } = element.dataset;
    const [first, last] = word === undefined ? partOf(line, element, range) : [Number(word), Number(word)];
    return line.words.slice(first, last + 1);
  });
}
