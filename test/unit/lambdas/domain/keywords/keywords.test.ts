import { describe, expect, it } from 'vitest';
import { normalizeKeyword } from '../../../../../lambdas/domain/keywords/keywords.ts';

describe('normalizeKeyword', () => {
  it.each([
    ['punctuation and emoji', '«¡Stop!» 🛑', 'STOP'],
    ['accents', 'Desabonñér', 'DESABONNER'],
    ['the width of letters', 'ＳＴＯＰ', 'STOP'],
    ['marks of direction', '\u200fSTOP\u200e', 'STOP'],
    ['zero-width characters and soft hyphens', '\ufeffS\u200bT\u00adO\u200dP', 'STOP'],
    ['zero-width characters between letters that do not join', 'لغو\u200cاشتراک', 'لغواشتراک'],
    ['signs that Arabic may omit', 'أَوْقِف', 'اوقف'],
    ['spaces of any kind', ' no\u00a0\nmás ', 'NO MAS'],
  ])('ignores %s', (_what, text, keyword) => {
    expect(normalizeKeyword(text)).toBe(keyword);
  });

  it.each([
    ['a Hindi word from one with other vowels', 'बंद', 'बाद'],
    ['a Thai word from one with other vowels', 'หยุด', 'หยด'],
    ['letters with punctuation in between from a word', 'S.T.O.P', 'STOP'],
    ['a word from two', 'STOP ALL', 'STOPALL'],
  ])('distinguishes %s', (_what, one, other) => {
    expect(normalizeKeyword(one)).not.toBe(normalizeKeyword(other));
  });
});
