import { describe, expect, test } from 'vitest'
import { answerText } from '../../../src/agent/text-calls.ts'
import { parseTextCalls } from '../../../src/agent/text-protocol.ts'
import { withThoughtsBegun } from '../../../src/agent/thinking.ts'
import { finish } from '../../../src/tools/control.ts'
import { isLinear } from '../../support/cpu-time.ts'
import { TOOLS } from './example-tools.ts'

/** The calls of a reply as `id(name=value, …)`, names as written. */
function calls(reply: string): string[] {
  return parseTextCalls(reply, TOOLS).calls.map(
    ({ tool, params }) => `${tool.id}(${params.map(([name, value]) => `${name}=${value}`).join(', ')})`,
  )
}

const FINISH = '<完成会话><理由>好</理由></完成会话>'
const DONE = 'finish(理由=好)'
const PAGE = '<网页访问>\n<地址>https://a.test/?x=1&y=<2></地址>\n</网页访问>'

describe('what is a call', () => {
  test.each<[string, string, string[]]>([
    [
      'the call of the seed',
      `根据指示……\n<思考>\n1. 访问\n</思考>\n${PAGE}`,
      ['web_access(地址=https://a.test/?x=1&y=<2>)'],
    ],
    ['the id with Chinese parameters', '<web_access><地址>u</地址></web_access>', ['web_access(地址=u)']],
    ['the Chinese name with English parameters', '<网页访问><url>u</url></网页访问>', ['web_access(url=u)']],
    ['several parameters', '<web_access><url>u</url>\n<focus>f</focus></web_access>', ['web_access(url=u, focus=f)']],
    [
      'text between parameters',
      '<web_access>看 <url>u</url>，<focus>f</focus>。</web_access>',
      ['web_access(url=u, focus=f)'],
    ],
    ['a parameter that the tool does not have', '<web_access><uri>u</uri></web_access>', ['web_access(uri=u)']],
    [
      'a known and an unknown parameter',
      '<web_access><url>u</url><uri>v</uri></web_access>',
      ['web_access(url=u, uri=v)'],
    ],
    ['no parameters', '<box__list></box__list> <box__list>\n</box__list>', ['box__list()', 'box__list()']],
    ['an empty tag', '<box__list/>', ['box__list()']],
    ['an empty parameter', '<web_access><url></url><page/></web_access>', ['web_access(url=, page=)']],
    ['an indented call', `        ${PAGE}`, ['web_access(地址=https://a.test/?x=1&y=<2>)']],
    ['a call in other markup', `<b><answer>${FINISH}</answer></b><br>`, [DONE]],
    ['white space in tags', '<finish ><reason >x</reason ></finish\n>', ['finish(reason=x)']],
    ['two calls', `${FINISH}\n${FINISH}`, [DONE, DONE]],
    [
      'a repeated parameter',
      '<ask><question>q</question><选项>a</选项><选项>b</选项></ask>',
      ['ask(question=q, 选项=a, 选项=b)'],
    ],
    [
      'a thought between parameters',
      '<finish><think><reason>no</reason></think><reason>x</reason></finish>',
      ['finish(reason=x)'],
    ],
    ['CRLF lines', '<finish>\r\n<reason>a\r\nb</reason>\r\n</finish>\r\n', ['finish(reason=a\r\nb)']],
  ])('%s', (_, reply, expected) => {
    expect(calls(reply)).toEqual(expected)
  })

  test.each<[string, string]>([
    ['nothing', ''],
    ['text only', '好的。'],
    ['text in the outer tag only', '<网页访问>https://a.test</网页访问>'],
    ['an unclosed outer tag', '<网页访问><地址>u</地址>'],
    ['an unclosed inner tag', '<网页访问><地址>u</网页访问>'],
    ['another closing name', '<网页访问><地址>u</地址></web_access>'],
    ['HTML that holds an unknown tag', '<div><answer>x</answer></div>'],
    ['HTML', '<p><b>x</b> <table><tr><td>1</td></tr></table></p><br><br/>'],
    ['tags with attributes', '<finish id="1"><reason>x</reason></finish>'],
    ['a lone closing tag', '</finish></reason>'],
    ['an empty tag of an unknown name', '<foo/>'],
    ['an unknown tag with text', '<answer>42</answer>'],
  ])('%s is neither a call nor an unknown tool', (_, reply) => {
    expect(parseTextCalls(reply, TOOLS)).toEqual({ calls: [], unknown: null })
  })
})

describe('thinking and code hide calls', () => {
  test.each<[string, string]>([
    ['a thinking block', `<思考>${PAGE}</思考>`],
    ['an English thinking block', `<think>${PAGE}</think>`],
    ['a thinking block as some models name it', `<thinking>${PAGE}</thinking>`],
    ['an unclosed thinking block', `<思考>\n${PAGE}\n${PAGE}`],
    ['a thinking block closed by another name', `<思考>${PAGE}</think>`],
    ['a nested thinking block', `<思考>a<思考>b</思考>${PAGE}</思考>`],
    ['a fence', `\`\`\`\n${PAGE}\n\`\`\``],
    ['a fence with an info string', `\`\`\`xml title=a\n${PAGE}\n\`\`\``],
    ['a tilde fence', `~~~ \`\`\`\n${PAGE}\n~~~`],
    ['an indented fence', `   \`\`\`\n${PAGE}\n  \`\`\`\n`],
    ['an unclosed fence', `文字\n\`\`\`\n${PAGE}\n\n${PAGE}`],
    ['a fence that a shorter one does not close', `\`\`\`\`\n\`\`\`\n${PAGE}\n\`\`\`\``],
    ['a fence that other characters do not close', `\`\`\`\n~~~\n${PAGE}\n\`\`\``],
    ['a fence that a line with text does not close', `\`\`\`\n\`\`\` x\n${PAGE}\n\`\`\``],
    ['a fence in a list item', `- a\n\n  \`\`\`\n${PAGE.replaceAll(/^/gm, '  ')}\n  \`\`\``],
    ['a fence behind a list marker', `10. \`\`\`\n${PAGE.replaceAll(/^/gm, '    ')}\n    \`\`\``],
    ['a fence in a block quote', `> \`\`\`\n${PAGE.replaceAll(/^/gm, '> ')}\n> \`\`\``],
    ['a code span', `用 \`${FINISH}\` 结束`],
    ['a code span over two lines', `用 \`\`${FINISH}\n${FINISH}\`\` 结束`],
    ['a code span in a heading', `# 用 \`${FINISH}\` 结束\n`],
    ['a code span in a list item', `- 用 \`${FINISH}\` 结束\n- x`],
    ['a code span with backticks within', `\`\` \` ${FINISH} \` \`\``],
  ])('%s', (_, reply) => {
    expect(parseTextCalls(reply, TOOLS)).toEqual({ calls: [], unknown: null })
  })

  test.each<[string, string]>([
    ['after a thinking block', `<think>${PAGE}</think>${FINISH}`],
    ['after a thinking block that mentions its own tag', `<思考>不要写 <思考> 标签</思考>${FINISH}`],
    ['after a thinking block with an unclosed fence', `<think>\n\`\`\`\n</think>\n${FINISH}`],
    ['after thinking tags in code', `\`<think>\` ${FINISH}`],
    ['after a closed fence', `\`\`\`\n${PAGE}\n\`\`\`\n${FINISH}`],
    ['after a fence that a longer one closes', `\`\`\`\n${PAGE}\n\`\`\`\`\`  \n${FINISH}`],
    ['after a fence in a block quote that the quote ends', `> \`\`\`\n> x\n\n${FINISH}`],
    ['after a fence in a list item that the list ends', `- \`\`\`\n  x\n\n${FINISH}`],
    ['after a fence mark that is indented as code', `    \`\`\`\n${FINISH}`],
    ['after what looks like a fence with a backtick in its info string', `\`\`\`a\`b\n${FINISH}`],
    ['after two backticks', `\`\`\n${FINISH}`],
    ['after a lone backtick', `a \` b\n\n${FINISH} \``],
    ['between backtick runs of unequal length', `\` ${FINISH} \`\``],
    ['between escaped backticks', `\\\`${FINISH}\\\``],
    ['between backticks of two list items', `- a \`\n- ${FINISH} \``],
    ['between backticks of a heading and a paragraph', `# a \`\n${FINISH} \``],
    ['after a code span', `\`x\` ${FINISH}`],
    ['in an indented block, which is no fence', `\n\n      ${FINISH}`],
  ])('a call counts %s', (_, reply) => {
    expect(calls(reply)).toEqual([DONE])
  })
})

describe('a value is taken as it stands', () => {
  test.each<[string, string]>([
    ['less-than signs and entities', 'a < b && c > d &lt;x&gt; &#39;'],
    ['the tag of another tool', '先 <网页访问> 再说'],
    ['a whole call of another tool', `我用了 ${PAGE} 读网页`],
    ['a whole call with the same parameter name', 'x <rethink><理由>y</理由></rethink> z'],
    ['a whole call of its own tool', `写法是 ${FINISH} 这样`],
    ['half a call of its own tool in a sentence', '请以 <完成会话><理由> 开头'],
    ['two whole calls of its own tool', `${FINISH} 和 ${FINISH}`],
    ['its own opening tag', '请写 <理由> 标签'],
    ['its own closing tag', '请写 </理由> 标签'],
    ['its own outer tags', '用 <完成会话> 与 </完成会话> 结束'],
    ['its closing tags in inline code', '结尾是 `</理由></完成会话>` 两个标签'],
    ['its closing tags in a fence', '```\n</理由>\n</完成会话>\n```\n就这样'],
    ['half a call in a fence', '```\n<完成会话>\n<理由>x</理由>\n```\n就这样'],
    ['a fence that ends it', '```mermaid\ngraph TD; A-->B\n```'],
    ['an unclosed fence', '```\ncode'],
    ['a lone backtick', 'a ` b'],
    ['an unclosed thinking tag', '<思考> 是标签'],
    ['a thinking block', '<think>x</think>'],
    ['HTML', '<table><tr><td>1</td></tr></table><br>'],
    ['an unknown call', '<foo><bar>x</bar></foo>'],
    ['the tags of an approval', '<授权><工具>x</工具></授权>'],
  ])('%s', (_, value) => {
    expect(calls(`<完成会话><理由>${value}</理由></完成会话>`)).toEqual([`finish(理由=${value})`])
    expect(calls(`<完成会话>\n<理由>\n${value}\n</理由>\n</完成会话>\n`)).toEqual([`finish(理由=${value})`])
  })

  test.each<[string, string]>([
    ['a fence', '```\ncode\n```'],
    ['an unclosed fence', '```\ncode'],
    ['a lone backtick', 'a ` b'],
    ['its own opening tag', '请写 <理由> 标签'],
    ['a quoted call', `写法是 ${FINISH} 这样`],
    ['closing tags in code', '`</理由></完成会话>`'],
  ])('a value with %s does not swallow a second call', (_, value) => {
    const reply = `<完成会话><理由>${value}</理由></完成会话>\n说明 \`x\`\n${FINISH}`
    expect(calls(reply)).toEqual([`finish(理由=${value})`, DONE])
  })

  test('stray text behind a parameter does not swallow a second call', () => {
    const one = '<web_access><url>u</url> 。</web_access>'
    expect(calls(`${one}\n${one}`)).toEqual(['web_access(url=u)', 'web_access(url=u)'])
  })

  test('outer white space alone is left out', () => {
    expect(calls('<finish><reason>\n\t  a\n  b \n</reason></finish>')).toEqual(['finish(reason=a\n  b)'])
  })
})

describe('calls that were left open', () => {
  test.each<[string, string]>([
    ['a call begun twice', `<完成会话><理由>坏了\n\n重来：\n${FINISH}`],
    ['a tool mentioned in prose', `我将用<完成会话>结束。\n${FINISH}`],
    ['another tool mentioned in prose', `先<网页访问>，再\n${FINISH}`],
    ['tool and parameter mentioned in prose', `用<网页访问>时要给<地址>。\n${FINISH}`],
    ['an unknown tool', `<foo><bar>x</bar></foo>${FINISH}`],
  ])('%s does not hide the complete one', (_, reply) => {
    expect(calls(reply)).toEqual([DONE])
  })

  test('a closing tag in inline code does not complete a mention', () => {
    expect(calls('调用<网页访问>时写<地址>x</地址>，最后是 `</网页访问>`。')).toEqual([])
  })
})

describe('unknown tools', () => {
  test.each<[string, string, string | null]>([
    ['holding a tag', '<天气><城市>北京</城市></天气>', '天气'],
    ['holding nothing', '<weather>\n</weather>', 'weather'],
    ['in another case', '<Finish><reason>x</reason></Finish>', 'Finish'],
    ['the first of two', '<foo><a1>x</a1></foo><bar><a1>x</a1></bar>', 'foo'],
    ['within HTML', '<div><foo><a1>x</a1></foo></div>', 'foo'],
    ['in a fence', '```\n<foo><a1>x</a1></foo>\n```', null],
    ['in thoughts', '<think><foo><a1>x</a1></foo></think>', null],
    ['beside a known one', `<foo><a1>x</a1></foo>${FINISH}`, null],
  ])('%s', (_, reply, unknown) => {
    expect(parseTextCalls(reply, TOOLS).unknown).toBe(unknown)
  })
})

describe('the words of an answer that is no call', () => {
  test.each<[string, string, string]>([
    ['tags left open', '<finish>\n<reason>Paris', 'Paris'],
    ['a tag that was cut', '<Finish><reason>Paris</reas', 'Paris'],
    ['one of two tags left open', '<finish>\n<reason>Paris</reason>\n', 'Paris'],
    ['tags never opened', '<think>Well</think>\n巴黎</理由>\n</完成会话>', '巴黎'],
    ['an element that is whole', '<reason>Paris</reason>', '<reason>Paris</reason>'],
    ['a tag amid the words', 'Say <reason>Paris</reason>, then <finish>', 'Say <reason>Paris</reason>, then <finish>'],
    ['other tags', '<b>Paris</b> <i', '<b>Paris</b> <i'],
    ['a tag that was cut behind one', '<finish><reason>Paris</reason></fin', 'Paris'],
    ['a Chinese tag that was cut', '<完成会话><理由>巴黎</理', '巴黎'],
    [
      'an element with attributes',
      '<reason code="42">Out of stock</reason>',
      '<reason code="42">Out of stock</reason>',
    ],
    ['a Chinese one with attributes', '<理由 码="1">缺货</理由></完成会话>', '<理由 码="1">缺货</理由></完成会话>'],
    ['a tag that is spoken of', 'It is closed with </reason>', 'It is closed with </reason>'],
    ['a comparison at the end', '<finish><reason>while i <n', 'while i <n'],
    ['a tag of another name, cut', '<finish>Write <b>x</b', 'Write <b>x</b'],
    ['the mark that ends a turn', 'Paris.<|im_end|>', 'Paris.'],
    ['marks of a whole turn', '<|start_header_id|>assistant<|end_header_id|>\n\nParis.<|eot_id|>\n', 'Paris.'],
    ['several of them', '<s>Paris.</s><end_of_turn>\n<｜end▁of▁sentence｜>', 'Paris.'],
    ['nothing but a mark', '<|im_end|>', ''],
    ['a mark that is spoken of', 'A turn ends with <|im_end|>', 'A turn ends with <|im_end|>'],
    ['a mark in code', 'It is `<|im_end|>`', 'It is `<|im_end|>`'],
    ['a price struck out', '原价<s>199</s>', '原价<s>199</s>'],
    ['one struck out first', '<s>199</s> 99', '<s>199</s> 99'],
    ['one struck out before a mark', '- 99\n- <s>199</s></s>', '- 99\n- <s>199</s>'],
  ])('%s', (_, reply, words) => {
    expect(answerText(reply, finish)).toBe(words)
  })
})

test('marks amid the words cost no more than their length', () => {
  const read = (marks: string) => answerText(`${marks}and so on`, finish)
  expect(isLinear(read, '</s>'.repeat(250), '</s>'.repeat(8_000))).toBe(true)
})

describe('thoughts that end and never began', () => {
  test.each<[string, string]>([
    ['as a template begins them', 'The capital?</think>\n\nParis.'],
    ['with nothing behind them', 'The capital?\n</think>'],
    ['with a call in them', `I could ${FINISH}, but no.\n</思考>\nParis.`],
  ])('are begun: %s', (_, reply) => {
    const begun = withThoughtsBegun(reply)
    expect(begun.endsWith(reply) && /^<(think|思考)>/.test(begun)).toBe(true)
    expect(calls(begun)).toEqual([])
    expect(answerText(begun, finish)).toBe(reply.endsWith('>') ? '' : 'Paris.')
  })

  test.each([
    '<think>The capital?</think>\nParis.',
    'Paris. <think>Or not?</think>\n',
    'It ends with `</think>`\nand so on.',
    '```\n</think>\n```',
    'The tag </think> ends thoughts.',
    '结束标签是 </think>\n\n之后是回答。',
    '<finish><reason>It ends with\n</think>\n</reason></finish>',
  ])('are none: %j', (reply) => {
    expect(withThoughtsBegun(reply)).toBe(reply)
  })
})
