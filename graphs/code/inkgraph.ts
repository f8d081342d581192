/**
 * Entry point of the package `inkgraph`: everything that nodes, workflows and evaluators of your own are made with. The node types of the
 * product are in `inkgraph/nodes`. Source: docs/decisions/0198.
 */
export { channel, defineWorkflow, expr, map, node, route, secret, type CodeWorkflow } from '#graphs/build.ts';
export { codeNode, type CodeNodeOptions } from '#graphs/code/code-node.ts';
export {
  defineNode,
  type ChannelValues,
  type NodeCall,
  type NodeDefinition,
  type NodeResult,
  type Question,
} from '#graphs/define.ts';
export { defineEvaluator, type CodeEvaluator } from '#graphs/evaluators/define-evaluator.ts';
export { documentText } from '#graphs/models/document-text.ts';
export { NodeError } from '#graphs/code/node-error.ts';
export { langGraphNode, type CompiledLangGraph, type LangGraphNodeOptions } from '#graphs/run/lang-graph-node.ts';
export { AppError } from '#src/domain/app-error.ts';
