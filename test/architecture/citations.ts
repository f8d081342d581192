/** A text of the repository with the files and statements that it may cite. */
export interface Cited {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface Citable {
  /** Paths of all files, from the root of the repository. */
  readonly files: ReadonlySet<string>;
  /** Ids of the rows in test/spec. */
  readonly statements: ReadonlySet<string>;
}

const markdown = /\.md$/;

/** Comments of code, each with its place in the text; strings that look like comments count as well. */
function commentsOf(text: string): { readonly at: number; readonly comment: string }[] {
  return [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/.*$/gm)].map((match) => ({
    at: match.index,
    comment: match[0],
  }));
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

const withoutUrls = (text: string): string => text.replaceAll(/https?:\/\/\S+/g, '');

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '';
}

/** `a/b/../c` as `a/c`. */
function normal(path: string): string {
  return new URL(path, 'file:///').pathname.slice(1);
}

function decisionFaults(text: string, { files }: Citable): string[] {
  const numbers = [...text.matchAll(/\b(?:docs\/decisions\/|decisions? )(\d{4})\b(?:(?:, | and )(\d{4})\b)?/gi)]
    .flatMap(([, first, second]) => [first, second])
    .filter((number) => number !== undefined);
  if (numbers.length === 0) return [];
  const known = new Set([...files].map((path) => /^docs\/decisions\/(\d{4})-/.exec(path)?.[1]));
  return numbers.filter((number) => !known.has(number)).map((number) => `decision ${number}, which does not exist`);
}

function fileFaults(path: string, text: string, { files }: Citable): string[] {
  const names = [...withoutUrls(text).matchAll(/[\w@.{}<>*-]*(?:\/[\w@.{}<>*-]+)*\.md\b/g)].map(([name]) => name);
  const exists = (name: string): boolean => {
    if (/[<>*{}]|NNNN/.test(name) || name === '.md') return true;
    return [name, folderOf(path) + name].some((one) => files.has(normal(one)));
  };
  return names.filter((name) => !exists(name)).map((name) => `${name}, which is not in the repository`);
}

function statementFaults(text: string, { statements }: Citable): string[] {
  const sources = [...text.matchAll(/Source: ([\s\S]*?)(?:\.\s|\*\/|$)/g)].map(([, source = '']) => source);
  const ids = sources.flatMap((source) => [...source.matchAll(/`([a-z]+(?:\.[a-z_]+)+)`/g)].map(([, id = '']) => id));
  return ids.filter((id) => !statements.has(id)).map((id) => `${id}, which no row of test/spec has`);
}

function sectionFaults(text: string): string[] {
  return /\bspecification,? §/i.test(text) ? ['a section of a specification that is not in the repository'] : [];
}

/** Citations in the comments of a file of code that lead nowhere, one line each. */
export function codeCitationFaults({ path, text }: Cited, citable: Citable): string[] {
  return commentsOf(text).flatMap(({ at, comment }) =>
    [
      ...decisionFaults(comment, citable),
      ...fileFaults(path, comment, citable),
      ...statementFaults(comment, citable),
      ...sectionFaults(comment),
    ].map((missing) => `${path}:${lineOf(text, at)} cites ${missing}`),
  );
}

/** Relative links of a Markdown file that lead nowhere, decisions that do not exist, sections of absent texts. */
export function markdownCitationFaults({ path, text }: Cited, citable: Citable): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)]
    .map(([, link, attribute]) => link ?? attribute ?? '')
    .filter((target) => target !== '' && !/^[a-z]+:|^#/.test(target))
    .map((target) => normal(folderOf(path) + target.replace(/[#?].*$/, '')).replace(/\/$/, ''));
  const exists = (target: string): boolean =>
    citable.files.has(target) || [...citable.files].some((file) => file.startsWith(`${target}/`));
  return [
    ...targets.filter((target) => !exists(target)).map((target) => `${target}, which is not in the repository`),
    ...decisionFaults(text, citable),
    ...sectionFaults(text),
  ].map((missing) => `${path} cites ${missing}`);
}

const pathInText = /`((?:app|docs|examples|graphs|http|mcp|packages|scripts|src|test|tools)\/[\w./-]+)`/g;

/** Paths in backticks of a Markdown file that are not in the repository. `made` are paths that the text tells the reader to create. */
export function markdownPathFaults({ path, text }: Cited, citable: Citable, made: ReadonlySet<string>): string[] {
  const names = [...text.matchAll(pathInText)].map(([, name = '']) => name.replace(/\/$/, ''));
  const isThere = (name: string): boolean =>
    citable.files.has(name) || [...citable.files].some((file) => file.startsWith(`${name}/`));
  // The text of a package names paths from the package's folder.
  const exists = (name: string): boolean => made.has(name) || isThere(name) || isThere(folderOf(path) + name);
  return [...new Set(names)]
    .filter((name) => !exists(name) && !name.includes('NNNN'))
    .map((name) => `${path} cites ${name}, which is not in the repository`);
}

export const isMarkdown = (path: string): boolean => markdown.test(path);
