import { mcpTools } from '#tools/surfaces.ts';
import { toolDefinition } from '#tools/mcp/definition.ts';
const t=performance.now();
const d = mcpTools.map(toolDefinition);
console.log(performance.now()-t);
for (const x of d) console.log(x.name, JSON.stringify(x).length, JSON.stringify(x.inputSchema));
console.log(JSON.stringify(d).length/4);
console.log(JSON.stringify(d.find(x=>x.name==='get_run').outputSchema));
