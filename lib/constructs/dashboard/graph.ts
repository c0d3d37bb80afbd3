import { GraphWidget, type GraphWidgetProps, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** Three graphs to a row: the grid has 24 columns. */
const WIDTH = 8;

/** Creates a graph that takes a third of a row. */
export function graph(
  title: string,
  left: IMetric[],
  options: Pick<GraphWidgetProps, 'leftAnnotations' | 'right'> = {},
): GraphWidget {
  return new GraphWidget({ title, left, width: WIDTH, ...options });
}
