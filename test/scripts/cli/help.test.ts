import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { helpText, withHelp, type HelpedProgram } from '#scripts/cli/help.ts';
import { runCommand, spawnCommand } from '#test/support/command.ts';

const root = new URL('../../../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  scripts: Record<string, string>;
};
/** Scripts that pass their arguments on to a program with help of its own. */
const others: Readonly<Record<string, string>> = { 'test:unit': 'node_modules/vitest/vitest.mjs run' };
const starter = 'node scripts/need-node.cjs ';
const files = Object.entries(manifest.scripts)
  .filter(([name]) => others[name] === undefined)
  .map(([name, command]) => [name, command.slice(starter.length)] as const);

const isHelped = (value: unknown): value is HelpedProgram => typeof value === 'function' && 'help' in value;

/** The one program that a script's file exports. Importing it starts nothing. */
async function programOf(file: string): Promise<HelpedProgram> {
  const module = (await import(fileURLToPath(new URL(file, root)))) as Record<string, unknown>;
  const programs = Object.values(module).filter(isHelped);
  expect(programs, file).toHaveLength(1);
  return programs[0] as HelpedProgram;
}

test('every script of package.json is a program that has help', () => {
  for (const [name, command] of Object.entries(manifest.scripts))
    expect(command, name).toMatch(/^node scripts\/need-node\.cjs [\w./-]+(\.ts|vitest\.mjs run)$/);
  for (const [name, command] of Object.entries(others)) expect(manifest.scripts[name]).toBe(starter + command);
});

test.each(files)('npm run %s -- --help prints usage, a sentence, options and an example', async (name, file) => {
  const program = await programOf(file);
  for (const args of [['--help'], ['-h'], ['x', '--help', '--wrong']]) {
    const { code, out, err } = await runCommand(program, args);
    if (args[0] === 'x' && name === 'inkgraph') continue;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [usage = '', empty, sentence = ''] = out.replaceAll(/\n {7}\S.*/g, '').split('\n');
    const called = { start: 'npm start', test: 'npm test', check: 'npm test', inkgraph: 'npx inkgraph' }[name];
    expect(usage).toMatch(new RegExp(`^Usage: ${called ?? `npm run (-s )?${name}`}( |$)`));
    expect(empty).toBe('');
    expect(sentence).toMatch(/^[A-Z].{20}/);
    expect(out).toMatch(/\nOptions:\n(.*\n)* +--help +shows this\n/);
    expect(out).toMatch(/\nExamples?:\n {2}\S/);
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(120);
  }
});

test('a script reads and starts nothing for its help, and passes arguments after -- on', async () => {
  expect(await spawnCommand('scripts/need-node.cjs', ['scripts/services/start.ts', '--help'], '/nowhere')).toEqual({
    code: 0,
    out: expect.stringMatching(/^Usage: npm start\n/),
    err: '',
  });
  const wrong = await spawnCommand('scripts/need-node.cjs', ['scripts/services/start.ts', '--port', '1'], '/nowhere');
  expect(wrong).toEqual({ code: 1, out: '', err: expect.stringMatching(/^Unknown option '--port'/) });
  const echo = withHelp('help', async ({ args, out }) => out(args.join(' ')));
  expect((await runCommand(echo, ['a', '--', '--help'])).out).toBe('a -- --help');
});

test('long names have a line of their own, and long sentences are wrapped below their column', () => {
  const text = helpText({
    usage: ['npm run a', 'npm run a -- b'],
    does: 'Does a.',
    options: [
      ['--an-option-with-a-very-long-name <n>', 'default: 1'],
      ['--b', 'word '.repeat(30).trim()],
    ],
    examples: ['npm run a'],
  });
  expect(text.split('\n')).toEqual([
    'Usage: npm run a',
    '       npm run a -- b',
    '',
    'Does a.',
    '',
    'Options:',
    '  --an-option-with-a-very-long-name <n>',
    `${' '.repeat(30)}default: 1`,
    `  --b${' '.repeat(25)}${'word '.repeat(16).trim()}`,
    `${' '.repeat(30)}${'word '.repeat(14).trim()}`,
    `  --help${' '.repeat(22)}shows this`,
    '',
    'Example:',
    '  npm run a',
  ]);
});
