import type { Layer } from './tables.ts';

interface Pattern {
  readonly group?: readonly string[];
  readonly regex?: string;
  readonly allowTypeImports?: true;
  readonly message: string;
}

export interface LintOverride {
  readonly files: readonly string[];
  readonly rules: { readonly 'no-restricted-imports': readonly ['error', { readonly patterns: readonly Pattern[] }] };
}

/** `tools/` as a glob of files; `tools/mcp` as the file and the folder of that name. */
function globs(place: string): string[] {
  if (place.endsWith('/')) return [`${place}**`];
  return place.endsWith('.ts') ? [place] : [`${place}.ts`, `${place}/**`];
}

/** `src/domain/` as the start of its subpath, `src/compose.ts` as the whole of it. */
function subpath(place: string): string {
  return `#${place.replaceAll('.', String.raw`\.`)}${place.endsWith('/') ? '' : '$'}`;
}

function importsOf(layer: Layer): readonly string[] {
  return layer.imports === 'all' ? [] : layer.imports;
}

function layerPattern(layer: Layer, layers: readonly Layer[]): Pattern {
  const allowed = new Set([layer.name, ...importsOf(layer), ...(layer.typesOf ?? [])]);
  const closed = layers.filter((other) => !allowed.has(other.name)).flatMap((other) => other.at);
  const may = importsOf(layer).length === 0 ? 'no other layer' : `${importsOf(layer).join(', ')} only`;
  return { regex: `^(${closed.map(subpath).join('|')})`, message: `${layer.name} may import ${may}` };
}

function packagePattern(layer: Layer, open: readonly string[]): Pattern {
  const builtins = layer.builtins?.map((name) => `!node:${name}`) ?? ['!node:*', '!node:*/**'];
  const packages = open.flatMap((name) => [`!${name}`, `!${name}/**`]);
  return {
    group: ['*', '!#*/**', '!./**', '!../**', ...builtins, ...packages],
    message: 'The table of vendors does not allow this package here',
  };
}

function override(
  layer: Layer,
  files: readonly string[],
  open: readonly string[],
  layers: readonly Layer[],
): LintOverride {
  const typesOf = layer.typesOnly ? importsOf(layer) : (layer.typesOf ?? []);
  const group = typesOf.map((name) => `#src/${name}/**`);
  const types: Pattern[] = group.length > 0 ? [{ group, allowTypeImports: true, message: 'Types only' }] : [];
  const patterns = [layerPattern(layer, layers), ...types, packagePattern(layer, open)];
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

/** The tables as `no-restricted-imports` overrides: one a layer, then one for each place inside it where more packages are open. */
export function lintDirections(
  layers: readonly Layer[],
  vendors: Readonly<Record<string, readonly string[]>>,
): LintOverride[] {
  const openAt = (at: (place: string) => boolean): string[] =>
    Object.keys(vendors).filter((name) => vendors[name]?.some(at) === true);
  return layers
    .filter((layer) => layer.imports !== 'all')
    .flatMap((layer) => {
      const whole = openAt((place) => layer.at.includes(place));
      const inside = new Set(
        Object.values(vendors)
          .flat()
          .filter((place) => isInside(place, layer)),
      );
      return [
        override(layer, layer.at.flatMap(globs), whole, layers),
        ...[...inside].map((place) => {
          const open = [...new Set([...whole, ...openAt((other) => other === place)])];
          return override(layer, globs(place), open, layers);
        }),
      ];
    });
}

function isInside(place: string, layer: Layer): boolean {
  if (layer.at.includes(place)) return layer.at.length > 1 && !place.endsWith('/');
  return layer.at.some((folder) => folder.endsWith('/') && place.startsWith(folder));
}
