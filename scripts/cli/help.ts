import type { Program } from '#scripts/cli/terminal.ts';

type Row = readonly [name: string, words: string];

/** The parts of a command's help. */
export interface Help {
  /** After `Usage: `; several lines where a command has several forms. */
  readonly usage: string | readonly string[];
  /** One sentence, or few. */
  readonly does: string;
  readonly commands?: readonly Row[];
  /** Each with its default. */
  readonly options?: readonly Row[];
  readonly environment?: readonly Row[];
  readonly examples: readonly string[];
}

/** A program with its help, which `--help` prints. */
export interface HelpedProgram extends Program {
  readonly help: string;
}

const widestName = 26;
const widestLine = 110;

function wrapped(text: string, indent: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > widestLine) {
      lines.push(line);
      line = '';
    }
    line += `${line === '' ? '' : ' '}${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}

/** A title above rows of two columns. A long name has a line of its own. */
function section(title: string, rows: readonly Row[] = []): string {
  if (rows.length === 0) return '';
  const width = Math.min(widestName, Math.max(...rows.map(([name]) => name.length)));
  const lines = rows.map(([name, words]) => {
    const rest = wrapped(words, width + 4);
    return name.length <= width ? `  ${name.padEnd(width)}  ${rest}` : `  ${name}\n${' '.repeat(width + 4)}${rest}`;
  });
  return `\n${title}:\n${lines.join('\n')}\n`;
}

/** Help in the one form that all commands share, without the last line break. */
export function helpText({ usage, does, commands, options = [], environment, examples }: Help): string {
  const forms = [usage].flat().join('\n       ');
  const parts = [
    `Usage: ${forms}\n\n${wrapped(does, 0)}\n`,
    section('Commands', commands),
    section('Options', [...options, ['--help', 'shows this']]),
    section('Environment', environment),
    `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${examples.map((line) => `  ${line}`).join('\n')}`,
  ];
  return parts.join('');
}

const isHelp = (arg: string): boolean => arg === '--help' || arg === '-h';

/** A program that prints its help for `--help`, before it reads, starts or changes anything. */
export function withHelp(help: string, program: Program): HelpedProgram {
  const helped: Program = async (terminal) => {
    const { args, out } = terminal;
    const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
    return own.some(isHelp) ? out(`${help}\n`) : program(terminal);
  };
  return Object.assign(helped, { help });
}
