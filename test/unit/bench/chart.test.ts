import { describe, expect, it } from 'vitest';
import { chartSvg, formatValue } from '../../../bench/chart.ts';
import type { BarChart } from '../../../bench/report.ts';

const chart: BarChart = {
  name: 'sample',
  title: 'Time & more',
  unit: 'ms',
  groups: [
    {
      label: 'receive',
      bars: [
        { label: 'Parley', value: 50 },
        { label: 'Tutorial', value: 200 },
      ],
    },
    { label: 'empty <handler>', bars: [{ label: '', value: 0.0123 }] },
  ],
};

const textsOf = (svg: string): readonly string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);
const widthsOf = (svg: string): readonly number[] =>
  [...svg.matchAll(/<rect[^>]* width="(\d+)"/g)].map(([, width]) => Number(width));

describe('a chart', () => {
  it('has its title, every label, and every value as text', () => {
    expect(textsOf(chartSvg(chart, 'light'))).toEqual([
      'Time &amp; more',
      'receive',
      'Parley',
      '50.0 ms',
      'Tutorial',
      '200 ms',
      'empty &lt;handler>',
      '0.012 ms',
    ]);
  });

  it('draws each bar in proportion to its value, and the smallest one visibly', () => {
    const [parley = 0, tutorial = 0, empty = 0] = widthsOf(chartSvg(chart, 'light'));
    expect(tutorial / parley).toBe(4);
    expect(empty).toBe(1);
  });

  it('is described for screen readers', () => {
    const svg = chartSvg(chart, 'dark');
    expect(svg).toContain('role="img" aria-labelledby="title description"');
    expect(svg).toContain('<title id="title">Time &amp; more</title>');
    expect(svg).toContain('receive: Parley 50.0 ms, Tutorial 200 ms. empty &lt;handler>: 0.012 ms.</desc>');
  });

  it('has other colors on a dark background, and is otherwise the same', () => {
    const withoutColors = (svg: string) => svg.replaceAll(/#[0-9a-f]{6}/g, '');
    const [light, dark] = [chartSvg(chart, 'light'), chartSvg(chart, 'dark')];
    expect(dark).not.toBe(light);
    expect(withoutColors(dark)).toBe(withoutColors(light));
  });
});

describe('a value', () => {
  it('has about three digits and its unit, and dollars have cents', () => {
    expect([1234.5, 123.4, 12.34, 1.234, 0.1234].map((value) => formatValue(value, 'ms'))).toEqual([
      '1,235 ms',
      '123 ms',
      '12.3 ms',
      '1.23 ms',
      '0.123 ms',
    ]);
    expect([1.5, 10.44].map((value) => formatValue(value, '$'))).toEqual(['$1.50', '$10.44']);
  });
});
