/* Layout of a graph: nodes in layers from START, each near its predecessors. */
export const size = { width: 168, height: 48, across: 36, down: 56 };

/** Lists the edges of the graph as `[from, to, { label, kind }]`. */
function waysOf({ nodes, edges }) {
  const ways = edges.flatMap((edge) => {
    if (edge.map) return [[edge.from, edge.map.to, { label: `each of ${edge.map.over}`, kind: '' }]];
    if (!edge.when) return [[edge.from, edge.to, { label: '', kind: '' }]];
    const routes = edge.when.map((route) => [edge.from, route.to, { label: route.if, kind: 'maybe' }]);
    return edge.else ? [...routes, [edge.from, edge.else, { label: 'else', kind: 'maybe' }]] : routes;
  });
  const troubles = Object.entries(nodes).flatMap(([id, { onError }]) =>
    onError?.goto ? [[id, onError.goto, { label: 'on error', kind: 'trouble' }]] : [],
  );
  return [...ways, ...troubles];
}

/** Longest path from START to each node, without edges that lead back. */
function depthsOf(names, ways) {
  const next = Map.groupBy(ways, ([from]) => from);
  const depths = new Map(names.map((name) => [name, 0]));
  const under = new Set();
  const visit = (name, depth) => {
    if (under.has(name) || depth > names.length) return;
    if (depth < depths.get(name) || (depth === depths.get(name) && depth > 0)) return;
    depths.set(name, depth);
    under.add(name);
    for (const [, to] of next.get(name) ?? []) if (depths.has(to)) visit(to, depth + 1);
    under.delete(name);
  };
  visit('START', 0);
  return depths;
}

/** Moves every node, in several rounds, towards the middle of its neighbours in the layer above. */
function ordered(layers, ways) {
  for (let round = 0; round < 4; round += 1) {
    for (let index = 1; index < layers.length; index += 1) {
      const above = new Map(layers[index - 1].map((name, spot) => [name, spot]));
      const middle = (name) => {
        const places = ways.flatMap(([from, to]) => (to === name && above.has(from) ? [above.get(from)] : []));
        return places.length === 0 ? Infinity : places.reduce((sum, spot) => sum + spot, 0) / places.length;
      };
      layers[index] = layers[index].toSorted((a, b) => middle(a) - middle(b) || 0);
    }
  }
  return layers;
}

export function place(graph) {
  const ways = waysOf(graph);
  const names = [...new Set(['START', ...Object.keys(graph.nodes), ...ways.flatMap(([from, to]) => [from, to])])];
  const depths = depthsOf(names, ways);
  const last = Math.max(...depths.values());
  if (depths.has('END')) depths.set('END', Math.max(last, 1));
  const groups = Map.groupBy(names, (name) => depths.get(name));
  const layers = ordered(
    [...groups.keys()].toSorted((a, b) => a - b).map((depth) => groups.get(depth)),
    ways,
  );
  const widest = Math.max(...layers.map(({ length }) => length));
  const width = (widest + 1) * (size.width + size.across) - size.width / 2;
  const spots = new Map();
  for (const [index, layer] of layers.entries()) {
    const left = (width - layer.length * (size.width + size.across) + size.across) / 2;
    for (const [at, name] of layer.entries())
      spots.set(name, { x: left + at * (size.width + size.across), y: 16 + index * (size.height + size.down) });
  }
  return { ways, spots, width, height: layers.length * (size.height + size.down) - size.down + 32 };
}
