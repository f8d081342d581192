const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const generatedNote = '<!-- Written by `npm run gen` from the code. Changes here are lost. -->';

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
