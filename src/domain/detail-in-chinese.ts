/** What the log tells developers of a failure, as a Chinese reader is told it. It is logged in English, with the words of a service in it,
 *  which stay as they are. */

/** A sentence of our own, and the same in Chinese with what stands in the groups of the former. */
type Sentence = readonly [RegExp, (...found: string[]) => string]

const seconds = (ms: string) => `${Number(ms) / 1_000} 秒`
/** What a service said, behind what is said of it. */
const saying = (words: string) => (words === '' ? '。' : `：${words}`)

const ANSWERED = /^The model service answered (\d+)(?: with an error)?(?:: (.*))?$/s
const FAULTS: Readonly<Record<string, string>> = {
  'is empty': '是空的',
  'is not JSON': '不是 JSON',
  'is not a completion': '不符合协议',
  'was cut off before its end': '中途断开',
}

const OF_A_MODEL: readonly Sentence[] = [
  [ANSWERED, (status, words) => `模型服务返回状态码 ${status}${saying(words)}`],
  [
    /^The model service's answer (is empty|is not JSON|is not a completion|was cut off before its end)(?:: (.*))?$/s,
    (fault, words) => `模型服务的回答${FAULTS[fault]}${saying(words)}`,
  ],
  [
    /^The model service could not be reached(?: \((\w+)\))?\.$/,
    (code) => (code === '' ? '无法连接模型服务。' : `无法连接模型服务（${code}）。`),
  ],
  [/^The model gave no whole answer within (\d+) ms\.$/, (ms) => `模型在 ${seconds(ms)}内没有答完。`],
  [/^The model sent nothing for (\d+) ms \((\w+)\)\.$/, (ms, name) => `模型 ${seconds(ms)}没有任何回应（${name}）。`],
  [
    /^The model sent nothing more for (\d+) ms \((\w+)\)\.$/,
    (ms, name) => `模型中途 ${seconds(ms)}没有继续（${name}）。`,
  ],
  [/^The model service answered with a redirect/, () => '模型服务要求跳转，没有跟随。'],
  [/^The model failed too often lately/, () => '这个模型最近失败太多次，暂停一会儿再调用。'],
  [
    /^(\d+) calls of the model service are under way \(max_concurrency\)/,
    (count) => `同时进行的模型调用已有 ${count} 个（max_concurrency），没有等到空位。`,
  ],
  [/^The model's reply is longer than (\d+) characters\.$/, (count) => `模型的回复超过 ${count} 个字符。`],
  [/^The model wrote no summary of the older messages\.$/, () => '模型没有写出早先消息的摘要。'],
  [/^The model call was cancelled\.$/, () => '模型调用已取消。'],
  [/^The address of the model is not one that this server may call\.$/, () => '这台服务器不可以访问模型的地址。'],
  [
    /^The service of the model (\S+) refused the images, or one of them\./,
    (alias) => `模型 ${alias} 的服务不接受这些图片，因此只告诉它名称、类型和大小。`,
  ],
]

const OF_A_RUN: readonly Sentence[] = [
  [/^There is no worker "(.*)"; llm_tool does/s, (name) => `没有执行者“${name}”，由模型自己完成。`],
  [
    /^The worker "(.*)" is a team, and no team works within a team/s,
    (name) => `执行者“${name}”是一个团队，而团队之内不能再有团队，因此由模型自己完成。`,
  ],
  [/^Sub-tasks of the plan need each other/, () => '计划中的子任务互相依赖，因此按给出的顺序执行。'],
  [/^Only the first (\d+) sub-tasks of the plan are run\.$/, (count) => `只执行计划中的前 ${count} 个子任务。`],
  [/^The rounds of planning/, () => '规划的轮次用完了，答案是根据已有的结果写的。'],
  [
    /^The prompt of the skill is no template that can be filled in \((.*)\); it is used as it is written\.$/s,
    (fault) => `技能的提示词无法作为模板填写（${fault}），因此照原样使用。`,
  ],
  [/^What is remembered of the user could not be read/, () => '关于用户的记忆无法读取，运行在没有它的情况下继续。'],
  [/^The model named no action that it was offered/, () => '模型没有选出可用的动作，这个角色的这一轮到此为止。'],
  [/^The team has no role (".*")\.$/s, (names) => `团队里没有角色${names.replaceAll(/"(.*?)"(?:, )?/gs, '“$1”')}。`],
]

/** The path of the step of a workflow that failed, before why it did. */
const PATH = /^([\w.[\]-]{1,300}): (?=[A-Z\d])/

/** What is not known stays as it is. */
export function detailInChinese(detail: string): string {
  const path = PATH.exec(detail)?.[1]
  const text = path === undefined ? detail : detail.slice(path.length + 2)
  const told = [...OF_A_MODEL, ...OF_A_RUN].map((sentence) => inChinese(text, sentence)).find((one) => one !== null)
  if (told === undefined) return detail
  return path === undefined ? told : `${path}：${told}`
}

function inChinese(detail: string, [form, tell]: Sentence): string | null {
  const found = form.exec(detail)
  return found && tell(...found.slice(1).map((part) => part ?? ''))
}

/** Why a model failed: what its class means, and what its service said. */
export function modelFailureInChinese(message: string, detail: string): string {
  const why = message.replace(/。$/, '')
  const answered = ANSWERED.exec(detail)
  if (answered) return `${why}（${answered[1]}）${saying(answered[2] ?? '')}`
  const told = detailInChinese(detail)
  return told === detail ? `${why}：${detail}` : told
}
